"""The machine of a measurement, stored with its figures."""

from __future__ import annotations

import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil


def machine() -> dict[str, Any]:
    """Return cores, memory, processor, versions, load average and time."""
    return {
        "cores": psutil.cpu_count(),
        "memory_gib": round(psutil.virtual_memory().total / 2**30),
        "processor": _processor(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
        "load_average": psutil.getloadavg(),
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _processor() -> str:
    described = Path("/proc/cpuinfo")
    lines = described.read_text().splitlines() if described.exists() else []
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())
