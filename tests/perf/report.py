"""Output of the measurements: lines while they run, and a JSON file with the figures and the machine."""

from __future__ import annotations

import json
import platform
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from demo.stack.settings import PROJECT

if TYPE_CHECKING:
    from collections.abc import Mapping

say = partial(print, flush=True)


def show(name: str, figures: Mapping[str, Any]) -> None:
    """Print a row of figures."""
    say(f"{name}: {', '.join(f'{key} {value}' for key, value in figures.items())}")


def write(name: str, figures: Any) -> None:
    """Write build/NAME.json: the figures and the machine."""
    path = PROJECT / "build" / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"machine": machine(), "found": figures}, indent=1) + "\n")


def machine() -> dict[str, Any]:
    """Return cores, processor, Python version, load average and time."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    models = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return {
        "cores": psutil.cpu_count(),
        "processor": next(models, platform.machine()),
        "python": platform.python_version(),
        "load_average": psutil.getloadavg(),
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
    }
