"""`set-match` whose HINT handler logs "in a call" and waits for a file: `slow_serve FILE serve ...`."""

import logging
import sys
import time
from pathlib import Path

from match_handler.cli import main
from match_handler.match import inputs
from match_handler.protocol.payloads import OpCode

log = logging.getLogger(__name__)
POLL_SECONDS = 0.01


def make_slow(release: Path) -> None:
    def wait_for_release(*_: object) -> None:
        log.info("in a call")
        while not release.exists():
            time.sleep(POLL_SECONDS)

    inputs._HANDLERS[OpCode.HINT] = wait_for_release


if __name__ in {"__main__", "__mp_main__"}:  # The second is the name in a worker.
    make_slow(Path(sys.argv[1]))
if __name__ == "__main__":
    main(sys.argv[2:])
