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


def serve_slowly(release: Path, arguments: list[str]) -> None:
    def wait_for_release(*_: object) -> None:
        log.info("in a call")
        while not release.exists():
            time.sleep(POLL_SECONDS)

    inputs._HANDLERS[OpCode.HINT] = wait_for_release
    main(arguments)


if __name__ == "__main__":
    serve_slowly(Path(sys.argv[1]), sys.argv[2:])
