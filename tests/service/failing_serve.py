"""`set-match` whose workers cannot start while a file exists: `failing_serve FILE serve ...`."""

import sys
from pathlib import Path

from match_handler.cli import main
from match_handler.service import workers
from match_handler.service.config import SettingsError
from match_handler.service.server import run_until

BLOCK = Path(sys.argv[1])


def fail_while_blocked(*arguments: object, **options: object) -> None:
    if BLOCK.exists():
        raise SettingsError("blocked by the test")
    run_until(*arguments, **options)  # type: ignore[arg-type]


if __name__ == "__mp_main__":
    workers.run_until = fail_while_blocked  # type: ignore[attr-defined]
if __name__ == "__main__":
    main(sys.argv[2:])
