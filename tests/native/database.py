"""Runs PostgreSQL for a test program: prints its address and stops at the end of its standard input.

Usage: `python -m tests.native.database`
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from demo import postgres
from demo.service import Service
from demo.settings import PROJECT


def main() -> None:
    build = PROJECT / "build"
    build.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="database-", dir=build))
    folder.chmod(0o755)  # PostgreSQL may run as another user
    service = None
    try:
        data = folder / "data"
        postgres.prepare(data)
        service = Service(postgres.program(data, folder / "postgres.log"))
        service.start()
        sys.stdout.write(f"host={postgres.socket_folder(data)} user=postgres dbname=postgres\n")
        sys.stdout.flush()
        sys.stdin.read()
    finally:
        if service is not None:
            service.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
