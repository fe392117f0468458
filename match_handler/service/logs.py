"""Structured logs: one JSON object per line on standard error, with Nakama's field names `mid` and `uid`."""

import logging
import sys

from pythonjsonlogger.json import JsonFormatter

_NAMES = {"asctime": "ts", "levelname": "level", "name": "logger", "process": "pid", "message": "msg"}


def configure_logs(level: str) -> None:
    """Configure this process to log JSON lines of this level (such as `info`) and above."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        JsonFormatter(
            "{asctime}{levelname}{name}{process}{message}",
            style="{",
            rename_fields=_NAMES,
        )
    )
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
