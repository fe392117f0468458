"""The native stack for loads: with the echo plugin in addition to ours, and with metrics on both sides."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Self

from demo.stack.native import RULES, NativeStack
from demo.stack.ports import free_port
from demo.stack.settings import PROJECT, with_free_ports
from tests.perf import usage
from tests.perf.lobby import Lobby
from tests.support import scrape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.perf.table import Table

FOLDER = PROJECT / "build" / "stack-load"
PLUGINS = PROJECT / "build" / "load" / "modules"
SERVICE = RULES
NAKAMA = "Nakama"
CONCURRENT = 20
ENDING_S = 1.0

say = partial(print, flush=True)


class Stage:
    """A running stack, a lobby and the opened matches."""

    def __init__(self, flags: Mapping[str, str] | None = None) -> None:
        self.service_metrics, self.nakama_metrics = free_port(), free_port()
        settings = replace(
            with_free_ports(FOLDER, {"SET_MATCH_METRICS_PORT": str(self.service_metrics)}),
            plugin_env={"SET_RULES_ADDRESS_FACTOR": "0"},
            nakama_flags={
                "runtime.path": str(PLUGINS),
                "metrics.prometheus_port": str(self.nakama_metrics),
                "metrics.reporting_freq_sec": "1",
                "logger.level": "warn",
                **(flags or {}),
            },
        )
        self.stack = NativeStack(settings, say)
        self.lobby = Lobby(self.stack.api_url)
        self._cleanup = AsyncExitStack()

    async def __aenter__(self) -> Self:
        self._cleanup.enter_context(self.stack)
        await self._cleanup.enter_async_context(self.lobby)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._cleanup.aclose()

    async def open(self, tables: Sequence[Table], players: int) -> None:
        """Open matches, several at the same time."""
        for start in range(0, len(tables), CONCURRENT):
            batch = tables[start : start + CONCURRENT]
            await asyncio.gather(*(table.open(self.lobby, players) for table in batch))

    async def close(self, tables: Sequence[Table]) -> None:
        """Leave with all players, which ends the matches."""
        await asyncio.gather(*(table.leave() for table in tables))
        await asyncio.sleep(ENDING_S)

    def usage(self) -> usage.Reading:
        """Return processor time and memory of service, Nakama and generator."""
        pids = self.stack.pids
        return usage.read({name: pids[name] for name in (SERVICE, NAKAMA) if name in pids})

    def calls(self) -> float:
        """Return the number of calls answered by the service; calls in a batch count separately."""
        return self._answered() - scrape.total(self.service_metrics, "set_match_batch_calls_count")

    def rpcs(self) -> float:
        """Return the number of RPCs answered by the service; a batch counts once."""
        return self._answered() - scrape.total(self.service_metrics, "set_match_batch_calls_sum")

    def refused_calls(self) -> float:
        """Return the number of calls, joins and tickets that the plugin rejected because of a limit."""
        return scrape.total(self.nakama_metrics, "nakama_custom_set_refused_calls_total")

    def _answered(self) -> float:
        return scrape.total(self.service_metrics, "set_match_calls_total")
