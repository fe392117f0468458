"""Processor time and memory of the processes under load."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from collections.abc import Mapping

GENERATOR = "generator"


@dataclass(frozen=True)
class Reading:
    """One reading of the processes, by name.

    Attributes:
        at_s: Time on the monotonic clock.
        cpu_s: Processor time since the start of the process, user and system.
        rss_mib: Resident memory.
    """

    at_s: float
    cpu_s: Mapping[str, float]
    rss_mib: Mapping[str, float]

    def since(self, earlier: Reading) -> dict[str, float]:
        """Return the processor time since an earlier reading, in percent of one core."""
        elapsed = self.at_s - earlier.at_s
        return {
            name: round(100 * (used - earlier.cpu_s[name]) / elapsed, 2)
            for name, used in self.cpu_s.items()
            if name in earlier.cpu_s
        }


def read(pids: Mapping[str, int]) -> Reading:
    """Read the processes with these ids and this process."""
    cpu: dict[str, float] = {}
    rss: dict[str, float] = {}
    for name, pid in {**pids, GENERATOR: os.getpid()}.items():
        with suppress(psutil.NoSuchProcess):
            process = psutil.Process(pid)
            times = process.cpu_times()
            cpu[name] = times.user + times.system
            rss[name] = round(process.memory_info().rss / 2**20, 1)
    return Reading(time.perf_counter(), cpu, rss)
