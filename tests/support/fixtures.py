"""Fixtures: the native stack, started once for the run, and players on it."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from demo.stack import postgres, rules_service
from demo.stack.native import NAKAMA, RULES, NativeStack
from demo.stack.ports import free_port
from demo.stack.service import Service
from demo.stack.settings import PROJECT, with_free_ports
from tests.support.clients import Clients, wait_for_rules_service
from tests.support.saved_matches import forget_matches

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FOLDER = PROJECT / "build" / os.environ.get("SET_TEST_STACK", "stack-tests")
"""Only one run at a time can use a folder; a second run needs another SET_TEST_STACK."""

LOG_LINES = 25

NO_ADDRESS_LIMIT = {"SET_RULES_ADDRESS_FACTOR": "0"}
"""All users of the tests have the same IP address and would reach the limit of one address."""

COUNT_SHORT_GAMES = {"SET_MATCH_RANKED_SECONDS": "0"}
"""A win counts after any duration."""

stack_key = pytest.StashKey[NativeStack]()


class StackUnderTest(NativeStack):
    """The native stack; a restart returns when Nakama reaches the service, so the next test has no outage."""

    def start_rules(self) -> None:
        super().start_rules()
        wait_for_rules_service(self)

    @contextmanager
    def other_rules(self, module: str, *arguments: str) -> Iterator[Path]:
        """Replace the rules service by a faulty one, a module with arguments; return its log."""
        log = self.settings.folder / "logs" / f"{module}.log"
        log.unlink(missing_ok=True)
        command = (sys.executable, "-m", module, *arguments)
        service = Service(replace(rules_service.program(self.settings, log), command=command))
        self.kill_rules()
        try:
            service.start()
            wait_for_rules_service(self)
            yield log
        finally:
            service.stop()
            self.start_rules()

    @property
    def rules_metrics_port(self) -> int:
        """The port of the metrics of the rules service."""
        return int(self.settings.rules_env["SET_MATCH_METRICS_PORT"])

    @property
    def nakama_metrics_port(self) -> int:
        """The port of Nakama's metrics."""
        return int(self.settings.nakama_flags["metrics.prometheus_port"])


@pytest.fixture(scope="session")
def stack(request: pytest.FixtureRequest) -> Iterator[StackUnderTest]:
    """PostgreSQL, the rules service and Nakama; the service accepts seeds, and both serve metrics."""
    rules_env = {
        **COUNT_SHORT_GAMES,
        "SET_MATCH_ALLOW_SEED": "1",
        "SET_MATCH_METRICS_PORT": str(free_port()),
    }
    nakama_flags = {"metrics.prometheus_port": str(free_port()), "metrics.reporting_freq_sec": "1"}
    settings = replace(
        with_free_ports(FOLDER, rules_env), nakama_flags=nakama_flags, plugin_env=NO_ADDRESS_LIMIT
    )
    with StackUnderTest(settings) as running:
        request.config.stash[stack_key] = running
        forget_matches(running)
        yield running


@pytest.fixture
def stoppable_stack(stack: StackUnderTest) -> Iterator[StackUnderTest]:
    """The stack; after a test, all programs that it has stopped are started again."""
    yield stack
    if postgres.NAME not in stack.pids:
        stack.start_database()
    if NAKAMA not in stack.pids:
        stack.start_nakama()
    if RULES not in stack.pids:
        stack.start_rules()


@pytest.fixture
def clients(stack: NativeStack) -> Iterator[Clients]:
    """Users, matches and players on the native stack."""
    with ExitStack() as cleanup:
        yield Clients(stack, cleanup)


def add_ends_of_logs(config: pytest.Config, report: pytest.TestReport) -> None:
    """Add the last lines of every log of the stack to a failure report."""
    running = config.stash.get(stack_key, None)
    if report.failed and running is not None:
        for log in running.logs:
            lines = log.read_text(errors="replace").splitlines()[-LOG_LINES:]
            report.sections.append((f"end of {log.name}", "\n".join(lines)))
