"""Nakama with replicas of the rules service behind a DNS name, and the measurement of faults."""

from __future__ import annotations

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import TYPE_CHECKING

import httpx

from tests.replicas.claim_load import play_during
from tests.replicas.measurements import ReplicaFault
from tests.replicas.replica import Replica
from tests.support import scrape
from tests.support.clients import HTTP_KEY, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from demo.stack.native import NativeStack
    from tests.replicas.dns_server import DnsServer

SHARED_CALLS = 3_000
"""Calls to measure shares: two of three equal shares differ by at most 18 % (4 standard deviations)."""

AT_ONCE = 8
INVALID_OPTIONS = {"maxPlayers": 0}
RULES_CALLS = "nakama_custom_set_rules_calls_total"
DROPPED_INPUTS = "nakama_custom_set_poisoned_inputs_total"
CLOSED_MATCHES = "nakama_custom_set_closed_matches_total"
EXPECTED_CODES = {"OK", "InvalidArgument"}
FIRST_HOST = 2
"""The rules service of the native stack, which no address leads to, is on 127.0.0.1."""


class Cluster:
    """Replicas on 127.0.0.2, 127.0.0.3, ..., whose addresses the DNS server publishes."""

    def __init__(self, stack: NativeStack, dns: DnsServer, metrics_port: int) -> None:
        self.dns = dns
        self.port = stack.settings.rules_port
        self._stack = stack
        self._metrics_port = metrics_port
        self._numbers = count(FIRST_HOST)
        self._replicas: list[Replica] = []
        self._http = httpx.Client(base_url=stack.api_url, trust_env=False, timeout=60)

    def unused_host(self) -> str:
        """Return a loopback address that nothing has used."""
        return f"127.0.0.{next(self._numbers)}"

    def start(self, *, workers: int = 1) -> Replica:
        """Start a replica that is not published yet, and wait until all of its workers serve."""
        replica = self.begin_start(workers=workers)
        wait_until(replica.all_workers_serve)
        return replica

    def begin_start(self, *, workers: int = 1, fault: str = "") -> Replica:
        """Start a replica without waiting for its workers."""
        host = self.unused_host()
        replica = Replica(host, self.port, self._stack.settings.folder / host, workers)
        self._replicas.append(replica)
        replica.set_fault(fault)
        replica.start()
        return replica

    def publish(self, *replicas: Replica) -> None:
        """Make these replicas the addresses of the name."""
        self.dns.publish(replica.host for replica in replicas)

    def serve(self, number: int) -> list[Replica]:
        """Start and publish replicas, and wait until Nakama uses all of them."""
        replicas = [self.begin_start() for _ in range(number)]
        wait_until(lambda: all(replica.all_workers_serve() for replica in replicas))
        self.publish(*replicas)
        self.wait_until_used(replicas)
        return replicas

    def wait_until_used(self, replicas: Iterable[Replica]) -> None:
        """Wait until each replica receives calls that belong to no match."""
        before = {replica: len(replica.calls()) for replica in replicas}

        def all_used() -> bool:
            self.call(20)
            return all(len(replica.calls()) > number for replica, number in before.items())

        wait_until(all_used)

    def call(self, number: int) -> None:
        """Make calls that belong to no match; each selects its connection independently of the others."""
        parameters = {"http_key": HTTP_KEY, "unwrap": "true"}

        def call(_: int) -> None:
            self._http.post("/v2/rpc/set_create_match", params=parameters, json=INVALID_OPTIONS)

        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(call, range(number)))

    def shares(self, replicas: Iterable[Replica]) -> list[int]:
        """Make calls, and return how many each worker of the replicas received, in descending order."""
        started_s = time.monotonic()
        self.call(SHARED_CALLS)
        received = [call.pid for replica in replicas for call in replica.calls() if call.at_s > started_s]
        return [number for _, number in Counter(received).most_common()]

    def measure(self, fault: Callable[[], float]) -> ReplicaFault:
        """Run the load while `fault` runs. It returns the seconds until the plugin noticed the fault."""
        before = self._counters()
        (book, disconnections), noticed_s = play_during(self._stack.api_url, fault)
        failed, dropped, closed = (
            int(after - earlier) for after, earlier in zip(self._counters(), before, strict=True)
        )
        return ReplicaFault(
            claims=book.sent,
            failed_calls=failed,
            noticed_s=noticed_s,
            longest_wait_s=max(book.waited_s),
            lost=book.unanswered,
            duplicates=book.twice,
            disconnections=disconnections,
            dropped_inputs=dropped,
            closed_matches=closed,
        )

    def stop_replicas(self) -> None:
        """Stop all replicas and remove all addresses."""
        for replica in self._replicas:
            replica.kill()
        self._replicas.clear()
        self.publish()

    def close(self) -> None:
        """Stop all replicas and close the connections to Nakama."""
        self.stop_replicas()
        self._http.close()

    def _counters(self) -> tuple[float, float, float]:
        """Return failed calls, dropped inputs and closed matches, when Nakama has reported all of them."""
        before = self._option_calls()
        self.call(1)
        wait_until(lambda: self._option_calls() > before)
        samples = list(scrape.samples(self._metrics_port))
        failed = sum(
            sample.value
            for sample in samples
            if sample.name == RULES_CALLS
            and sample.labels["code"] not in EXPECTED_CODES
            and sample.labels["method"] != "MatchBatch"
        )
        dropped, closed = (
            sum(sample.value for sample in samples if sample.name == name)
            for name in (DROPPED_INPUTS, CLOSED_MATCHES)
        )
        return failed, dropped, closed

    def _option_calls(self) -> float:
        return scrape.total(self._metrics_port, RULES_CALLS, method="MatchOptions", code="InvalidArgument")
