"""Changes and faults of replicas: no claim is lost, and each replica gets its share of the calls."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.replicas.balancer import Balancer
from tests.support.clients import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tests.containers.measurements import FaultTable
    from tests.replicas.cluster import Cluster
    from tests.replicas.measurements import ReplicaFault
    from tests.replicas.replica import Replica

pytestmark = pytest.mark.nakama

FROZEN_S = 6.0
FAILING_S = 12.0
"""Longer than the ten seconds after which a match was once closed if all of its calls returned INTERNAL."""
UNRESOLVED_S = 12.0
START_FAILS_S = 4.0
OVERLAP_S = 2.0
REPLICA_UNEVENNESS = 1.2
WORKER_UNEVENNESS = 1.3
"""The largest share, at most, as a multiple of the smallest. Each of four workers receives fewer calls."""


def assert_nothing_lost(measured: ReplicaFault) -> None:
    assert measured.claims > 0
    lost = (measured.lost, measured.duplicates, measured.disconnections)
    assert (*lost, measured.dropped_inputs, measured.closed_matches) == (0, 0, 0, 0, 0)


def assert_equal_shares(calls: Sequence[int], number: int, unevenness: float = REPLICA_UNEVENNESS) -> None:
    assert len(calls) == number
    assert max(calls) < unevenness * min(calls)


def percent(calls: Iterable[int]) -> str:
    """Return shares as text, such as 51 / 49."""
    numbers = list(calls)
    return " / ".join(f"{100 * number / sum(numbers):.0f}" for number in numbers)


def match_calls_after(replicas: Iterable[Replica], from_s: float) -> list[float]:
    """Return when the replicas received calls of matches after a time, in order."""
    calls = [call.at_s for replica in replicas for call in replica.match_calls()]
    return sorted(at_s for at_s in calls if at_s > from_s)


def first_match_call(replicas: Iterable[Replica], from_s: float) -> float:
    """Wait until the replicas receive a call of a match after a time, and return the seconds between them."""
    calls = wait_until(lambda: match_calls_after(replicas, from_s))
    return calls[0] - from_s


def matches_of(replicas: Iterable[Replica]) -> set[str]:
    """Return the ids of the matches whose calls the replicas have received."""
    return {call.match_id for replica in replicas for call in replica.match_calls()}


def all_matches_continue(matches: set[str], replicas: Iterable[Replica], from_s: float) -> float:
    """Wait until the replicas have received a call of each match after a time, and return the seconds."""
    first_s: dict[str, float] = {}

    def all_received() -> bool:
        for call in (call for replica in replicas for call in replica.match_calls()):
            if call.at_s > from_s:
                first_s.setdefault(call.match_id, call.at_s)
        return matches <= first_s.keys()

    wait_until(all_received)
    return max(first_s[match] for match in matches) - from_s


def test_added_replica_gets_its_share(cluster: Cluster, fault_table: FaultTable) -> None:
    one, two = cluster.serve(2)
    replicas = [one, two]

    def add() -> float:
        replicas.append(cluster.start())
        started_s = time.monotonic()
        cluster.publish(*replicas)
        return first_match_call(replicas[2:], started_s)

    measured = cluster.measure(add)
    shares = cluster.shares(replicas)
    fault_table.add("a third replica is added", replace(measured, shares=percent(shares)))
    assert_nothing_lost(measured)
    assert_equal_shares(shares, 3)


def test_matches_of_killed_replica_continue_on_others(cluster: Cluster, fault_table: FaultTable) -> None:
    dead, *others = cluster.serve(3)

    def kill() -> float:
        moving = matches_of([dead])
        killed_s = time.monotonic()
        dead.kill()

        def moved() -> list[float]:
            calls = [call for replica in others for call in replica.calls() if call.match_id in moving]
            return [call.at_s for call in calls if call.at_s > killed_s]

        noticed_s = min(wait_until(moved)) - killed_s
        cluster.publish(*others)
        return noticed_s

    measured = cluster.measure(kill)
    fault_table.add("kill -9 of one replica of three", measured)
    assert_nothing_lost(measured)


def test_rolling_restart_ends_with_equal_shares(cluster: Cluster, fault_table: FaultTable) -> None:
    replicas = cluster.serve(3)

    def restart() -> float:
        noticed_s = []
        for _ in range(3):
            new = cluster.start()
            old = replicas.pop(0)
            replicas.append(new)
            published_s = time.monotonic()
            cluster.publish(*replicas)
            noticed_s.append(first_match_call([new], published_s))
            time.sleep(OVERLAP_S)
            old.stop()
        return max(noticed_s)

    measured = cluster.measure(restart)
    shares = cluster.shares(replicas)
    fault_table.add("rolling restart of three replicas", replace(measured, shares=percent(shares)))
    assert_nothing_lost(measured)
    assert_equal_shares(shares, 3)


def test_replica_that_hangs_gets_no_calls(cluster: Cluster, fault_table: FaultTable) -> None:
    frozen, other = cluster.serve(2)
    late_calls: list[int] = []

    def freeze() -> float:
        frozen_s = time.monotonic()
        frozen.set_fault("hang")
        time.sleep(FROZEN_S)
        late_calls.extend(
            len(match_calls_after([replica], frozen_s + FROZEN_S / 2)) for replica in (frozen, other)
        )
        last_s = match_calls_after([frozen], frozen_s)[-1]
        frozen.set_fault("")
        first_match_call([frozen], time.monotonic())
        return last_s - frozen_s

    measured = cluster.measure(freeze)
    fault_table.add("one replica of two hangs", measured)
    assert_nothing_lost(measured)
    assert late_calls[0] < late_calls[1] / 20


def test_new_addresses_are_used_after_empty_name(cluster: Cluster, fault_table: FaultTable) -> None:
    old = cluster.serve(2)
    lookups: list[float] = []

    def replace_all() -> float:
        started_s = time.monotonic()
        cluster.publish()
        for replica in old:
            replica.kill()
        new = [cluster.begin_start(), cluster.begin_start()]
        time.sleep(UNRESOLVED_S - (time.monotonic() - started_s))
        published_s = time.monotonic()
        lookups.extend(at_s - started_s for at_s in cluster.dns.lookups_s if started_s < at_s < published_s)
        cluster.publish(*new)
        return all_matches_continue(matches_of(old), new, published_s)

    measured = cluster.measure(replace_all)
    fault_table.add(f"the name has no address for {UNRESOLVED_S:.0f} s", measured)
    assert_nothing_lost(measured)
    late = [at_s for at_s in lookups if at_s > UNRESOLVED_S / 2]
    assert len(late) > len(lookups) / 3  # The interval does not grow.


def test_healthy_replica_behind_balancer_is_used(cluster: Cluster, fault_table: FaultTable) -> None:
    replicas = [cluster.start(), cluster.start()]
    bad = replicas[0]
    late_calls: list[int] = []

    def fail() -> float:
        failing_s = time.monotonic()
        bad.set_fault("fail")
        time.sleep(FAILING_S)
        late_calls.extend(
            len(match_calls_after([replica], failing_s + FAILING_S / 2)) for replica in replicas
        )
        last_s = match_calls_after([bad], failing_s)[-1]
        bad.set_fault("")
        return last_s - failing_s

    balancer = Balancer(cluster.unused_host(), cluster.port, [replica.host for replica in replicas])
    with balancer:
        cluster.dns.publish([balancer.host])
        cluster.wait_until_used(replicas)
        measured = cluster.measure(fail)
    fault_table.add("one replica of two behind a load balancer answers INTERNAL", measured)
    assert_nothing_lost(measured)
    assert late_calls[0] < late_calls[1] / 20


def test_rollback_of_bad_deployment_continues_matches(cluster: Cluster, fault_table: FaultTable) -> None:
    replicas = cluster.serve(2)

    def deploy_and_roll_back() -> float:
        for replica in replicas:
            replica.set_fault("fail")
        time.sleep(FAILING_S)
        for replica in replicas:
            replica.set_fault("")
        return all_matches_continue(matches_of(replicas), replicas, time.monotonic())

    measured = cluster.measure(deploy_and_roll_back)
    fault_table.add(f"all replicas answer INTERNAL for {FAILING_S:.0f} s", measured)
    assert_nothing_lost(measured)
    assert measured.longest_wait_s > FAILING_S / 2


def test_replica_that_cannot_start_gets_no_calls(cluster: Cluster, fault_table: FaultTable) -> None:
    (good,) = cluster.serve(1)

    def start_badly() -> float:
        bad = cluster.begin_start(workers=2, fault="no start")
        cluster.publish(good, bad)
        time.sleep(START_FAILS_S)
        assert wait_until(bad.health) == 503
        assert not bad.calls()
        repaired_s = time.monotonic()
        bad.set_fault("")
        return first_match_call([bad], repaired_s)

    measured = cluster.measure(start_badly)
    fault_table.add("the workers of an added replica fail at the start", measured)
    assert_nothing_lost(measured)


def test_each_worker_gets_its_share(cluster: Cluster, fault_table: FaultTable) -> None:
    replicas = cluster.serve(1)

    def replace_by_workers() -> float:
        replicas[:] = [cluster.start(workers=4)]
        published_s = time.monotonic()
        cluster.publish(*replicas)

        def all_reached() -> bool:
            cluster.call(20)
            return len({call.pid for call in replicas[0].calls()}) == 4

        wait_until(all_reached)
        return time.monotonic() - published_s

    measured = cluster.measure(replace_by_workers)
    shares = cluster.shares(replicas)
    fault_table.add("4 connections to a replica with 4 workers", replace(measured, shares=percent(shares)))
    assert_nothing_lost(measured)
    assert_equal_shares(shares, 4, WORKER_UNEVENNESS)
