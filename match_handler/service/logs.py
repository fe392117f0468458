"""Structured logs: a JSON object a line on standard error, with Nakama's short names (mid, uid) for ids."""

import logging
import sys

from pythonjsonlogger.json import JsonFormatter

_NAMES = {"asctime": "ts", "levelname": "level", "name": "logger", "process": "pid", "message": "msg"}


def configure_logs(level: str) -> None:
    """Sends every log line of this process to standard error as JSON, from a level (`info`) up."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        JsonFormatter(
            "{asctime}{levelname}{name}{process}{message}",
            style="{",
            rename_fields=_NAMES,
        )
    )
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
