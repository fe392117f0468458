"""The native stack for loads: with the echo plugin in addition to ours, and with metrics on both sides."""

from __future__ import annotations

import asyncio
import os
import time
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING, Any, Self

import psutil

from demo.stack import postgres
from demo.stack.native import NAKAMA, RULES, NativeStack
from demo.stack.ports import free_port
from demo.stack.settings import PROJECT, with_free_ports
from tests.perf.claim_stats import ClaimStats, merged, quantile
from tests.perf.lobby import Lobby
from tests.perf.matches import drive
from tests.perf.report import say
from tests.support import scrape
from tests.support.saved_matches import forget_matches, query

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.perf.matches import LoadMatch

PLUGINS = PROJECT / "build" / "load" / "modules"
GENERATOR = "generator"
CONCURRENT = 20
ENDING_S = 1.0


@dataclass(frozen=True)
class Phase:
    """The measurements of a time in which matches were driven.

    Attributes:
        stats: The claims.
        calls: Number of calls that the service answered; calls in a batch count separately.
        late_s: 99th percentile of the sending delay, in seconds.
        cpu_percent: Processor time by process, in percent of one core.
        rss_mib: Resident memory by process at the end.
        wal_bytes: Number of bytes that PostgreSQL wrote to its log.
    """

    stats: ClaimStats
    calls: float
    late_s: float
    cpu_percent: dict[str, float]
    rss_mib: dict[str, float]
    wal_bytes: int


def row(phases: Sequence[Phase]) -> dict[str, Any]:
    """Return the figures of several phases together; processor time is their mean."""
    stats = merged(phase.stats for phase in phases)
    calls = sum(phase.calls for phase in phases)
    return {
        **stats.row(),
        "calls": calls,
        "calls_per_claim": round(calls / stats.sent, 3) if stats.sent else None,
        "late_p99_ms": round(1000 * quantile([phase.late_s for phase in phases], 1.0), 1),
        **{
            f"{name}_percent": round(sum(phase.cpu_percent[name] for phase in phases) / len(phases), 2)
            for name in phases[0].cpu_percent
        },
        "rss_mib": phases[-1].rss_mib,
        "wal_kib": round(sum(phase.wal_bytes for phase in phases) / 2**10),
    }


def ratios(phases: Sequence[Phase], others: Sequence[Phase]) -> dict[str, float]:
    """Return p50 and p99 against those of the same rounds of another kind: the medians of the rounds' ratios.

    A round that other programs disturb changes a median less than the figures of all rounds together.
    """
    return {
        f"{name}_ratio": round(
            median(
                quantile(one.stats.waited_s, share) / quantile(other.stats.waited_s, share)
                for one, other in zip(phases, others, strict=True)
            ),
            3,
        )
        for name, share in {"p50": 0.5, "p99": 0.99}.items()
    }


class LoadStack:
    """A running stack, a lobby and the opened matches."""

    def __init__(self, *, saved: bool = True) -> None:
        """Create a stack. Its matches are saved or not; the two kinds have own folders."""
        self._saved = saved
        folder = PROJECT / "build" / ("stack-load" if saved else "stack-load-unsaved")
        self._service_metrics, self._nakama_metrics = free_port(), free_port()
        settings = replace(
            with_free_ports(folder, {"SET_MATCH_METRICS_PORT": str(self._service_metrics)}),
            plugin_env={
                "SET_RULES_ADDRESS_FACTOR": "0",
                **({} if saved else {"SET_RULES_CHECKPOINT_MS": "0"}),
            },
            nakama_flags={
                "runtime.path": str(PLUGINS),
                "metrics.prometheus_port": str(self._nakama_metrics),
                "metrics.reporting_freq_sec": "1",
                "logger.level": "warn",
            },
        )
        self.stack = NativeStack(settings, say)
        self.lobby = Lobby(self.stack.api_url)
        self._cleanup = AsyncExitStack()

    async def __aenter__(self) -> Self:
        self._cleanup.enter_context(self.stack)
        if self._saved:
            forget_matches(self.stack)
        await self._cleanup.enter_async_context(self.lobby)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._cleanup.aclose()

    async def open(self, matches: Sequence[LoadMatch], players: int) -> None:
        """Open matches, several at the same time."""
        for start in range(0, len(matches), CONCURRENT):
            batch = matches[start : start + CONCURRENT]
            await asyncio.gather(*(match.open(self.lobby, players) for match in batch))

    async def close(self, matches: Sequence[LoadMatch]) -> None:
        """Leave with all players, which ends the matches."""
        await asyncio.gather(*(match.leave() for match in matches))
        await asyncio.sleep(ENDING_S)

    async def phase(self, matches: Sequence[LoadMatch], seconds: float, claims_per_s: float = 1.0) -> Phase:
        """Drive matches for a time, each at this rate of claims, and return the measurements."""
        stats = ClaimStats()
        for match in matches:
            match.stats = stats
        calls, wal, cpu, started = self._calls(), self._wal_bytes(), self._cpu(), time.perf_counter()
        late_s = await drive(matches, claims_per_s * len(matches), seconds)
        elapsed = time.perf_counter() - started
        used = {name: round(100 * (after - cpu[name]) / elapsed, 2) for name, after in self._cpu().items()}
        written = self._wal_bytes() - wal
        return Phase(stats, self._calls() - calls, late_s, used, self.rss_mib(), written)

    def rss_mib(self) -> dict[str, float]:
        """Return the resident memory of service, Nakama and generator."""
        return {name: round(each.memory_info().rss / 2**20, 1) for name, each in self._processes().items()}

    def refused_calls(self) -> float:
        """Return the number of calls, joins and tickets that the plugin rejected because of a limit."""
        return scrape.total(self._nakama_metrics, "nakama_custom_set_refused_calls_total")

    def revived_matches(self) -> int:
        """Return the number of matches that were revived since the start of Nakama."""
        return int(scrape.total(self._nakama_metrics, "nakama_custom_set_revived_matches_total"))

    def _calls(self) -> float:
        answered = scrape.total(self._service_metrics, "set_match_calls_total")
        return answered - scrape.total(self._service_metrics, "set_match_batch_calls_count")

    def _wal_bytes(self) -> int:
        return int(query(self.stack, "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')"))

    def _cpu(self) -> dict[str, float]:
        """Return processor seconds by process, with those of PostgreSQL's processes."""
        used = {name: _seconds(each) for name, each in self._processes().items()}
        database = psutil.Process(self.stack.pids[postgres.NAME])
        ended = database.cpu_times()
        used[postgres.NAME] = ended.user + ended.system + ended.children_user + ended.children_system
        for backend in database.children():
            with suppress(psutil.NoSuchProcess):
                used[postgres.NAME] += _seconds(backend)
        return used

    def _processes(self) -> dict[str, psutil.Process]:
        pids = {**self.stack.pids, GENERATOR: os.getpid()}
        return {name: psutil.Process(pids[name]) for name in (RULES, NAKAMA, GENERATOR) if name in pids}


def _seconds(process: psutil.Process) -> float:
    used = process.cpu_times()
    return used.user + used.system
