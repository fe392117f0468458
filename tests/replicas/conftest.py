"""Fixtures: Nakama with replicas behind a DNS name, started once for this folder, and the table of faults."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from demo.stack.native import NativeStack
from demo.stack.ports import free_port
from demo.stack.settings import PROJECT, with_free_ports
from tests.containers.measurements import FaultTable
from tests.replicas.cluster import Cluster
from tests.replicas.dns_server import DnsServer
from tests.replicas.measurements import COLUMNS
from tests.support.fixtures import FOLDER, NO_ADDRESS_LIMIT

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "rules.test"


@pytest.fixture(scope="package")
def nakama_with_name() -> Iterator[Cluster]:
    """Nakama, whose plugin finds the rules service by the name, at the DNS server of the test."""
    metrics_port = free_port()
    settings = with_free_ports(FOLDER.with_name(f"{FOLDER.name}-replicas"), {})
    with ExitStack() as cleanup:
        dns = cleanup.enter_context(DnsServer(NAME))
        plugin_env = {
            **NO_ADDRESS_LIMIT,
            "SET_RULES_ADDR": f"dns://{dns.address}/{NAME}:{settings.rules_port}",
            "SET_RULES_PLAINTEXT": "1",
        }
        flags = {"metrics.prometheus_port": str(metrics_port), "metrics.reporting_freq_sec": "1"}
        stack = cleanup.enter_context(
            NativeStack(replace(settings, nakama_flags=flags, plugin_env=plugin_env))
        )
        cluster = Cluster(stack, dns, metrics_port)
        cleanup.callback(cluster.close)
        yield cluster


@pytest.fixture
def cluster(nakama_with_name: Cluster) -> Iterator[Cluster]:
    """Nakama without replicas; those that a test starts are stopped after it."""
    yield nakama_with_name
    nakama_with_name.stop_replicas()


@pytest.fixture(scope="package")
def fault_table() -> Iterator[FaultTable]:
    """The table of the faults of replicas, written after the run."""
    table = FaultTable(COLUMNS, "replica-faults")
    yield table
    table.write(PROJECT / "build")
