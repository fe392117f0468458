"""Prometheus metrics: summed over all workers, without labels for matches or users."""

import re
import socket
from threading import Event

import grpc
import httpx
import pytest

from match_handler.protocol.payloads import OpCode
from match_handler.service.call_pool import CallPool
from match_handler.service.config import Address, SettingsError
from match_handler.service.http_server import serve_http
from match_handler.v1 import match_handler_pb2 as pb
from tests.service.processes import error_line, run, served
from tests.service.served import Shim, stub_at
from tests.service.test_calls import claim


def value(text: str, sample: str) -> float:
    """Return the value of a sample, or 0 if it does not exist."""
    found = re.search(rf"^{re.escape(sample)} (\S+)$", text, re.MULTILINE)
    return 0.0 if found is None else float(found[1])


def scraped() -> str:
    port = serve_http(Address("127.0.0.1", 0), lambda: True)
    return httpx.get(f"http://127.0.0.1:{port}/metrics", trust_env=False).text


def test_calls_claims_and_games_are_counted(shim: Shim) -> None:
    samples = {
        'set_match_calls_total{code="OK",method="MatchLoop"}': 2,
        'set_match_calls_total{code="INVALID_ARGUMENT",method="MatchInit"}': 1,
        'set_match_call_seconds_count{method="MatchLoop"}': 2,
        'set_match_games_ended_total{reason="terminated"}': 1,
    }
    before = scraped()
    with pytest.raises(grpc.RpcError):
        shim.init(b"junk")
    shim.init(b'{"seed":1}')
    shim.seat("ann", "bob")
    shim.loop(("ann", OpCode.CLAIM, claim(shim)))
    shim.loop()
    shim.terminate()
    after = scraped()
    assert {sample: value(after, sample) - value(before, sample) for sample in samples} == samples


@pytest.mark.parametrize("workers", [1, 2])
def test_failure_counters_exist_before_the_first_failure(workers: int) -> None:
    with served("--workers", str(workers), "--metrics-port", "0") as serving:
        serving.port(workers=workers)
        text = serving.metrics()
    methods = pb.DESCRIPTOR.services_by_name["MatchHandlerService"].methods_by_name
    wanted = {f'set_match_calls_total{{code="INTERNAL",method="{method}"}} 0.0' for method in methods}
    assert wanted <= set(text.splitlines())


def test_calls_waiting_for_a_thread_are_counted() -> None:
    gate, before = Event(), value(scraped(), "set_match_calls_waiting")
    with CallPool(1) as pool:
        calls = [pool.submit(gate.wait, 60) for _ in range(4)]
        while value(scraped(), "set_match_calls_waiting") - before > 3:
            assert not calls[-1].done()
        waiting = value(scraped(), "set_match_calls_waiting")
        gate.set()
    assert (waiting - before, value(scraped(), "set_match_calls_waiting")) == (3, before)
    with pytest.raises(RuntimeError):
        pool.submit(gate.wait)
    assert value(scraped(), "set_match_calls_waiting") == before


def test_no_metric_has_match_or_user_labels(shim: Shim) -> None:
    shim.init()
    shim.seat("ann", "bob")
    names = set(re.findall(r'(\w+)="', scraped()))
    assert {"method", "code"} <= names
    assert not {"match", "match_id", "mid", "user", "user_id", "uid"} & names


def test_metrics_are_summed_over_all_workers() -> None:
    with served("--workers", "2", "--metrics-port", "0") as serving:
        port = serving.port(workers=2)
        for _ in range(20):
            with stub_at(port) as stub:
                Shim(stub).init()
        assert value(serving.metrics(), 'set_match_calls_total{code="OK",method="MatchInit"}') == 20


def test_busy_metrics_port_is_reported_in_one_line() -> None:
    with socket.socket() as busy:
        busy.bind(("0.0.0.0", 0))  # noqa: S104 - the interface of the metrics port
        busy.listen()
        port = busy.getsockname()[1]
        with pytest.raises(
            SettingsError, match=f"metrics port: {port} cannot be used: Address already in use"
        ):
            serve_http(Address("127.0.0.1", port), lambda: True)
        outcome = run("serve", "--listen", "127.0.0.1:0", "--metrics-port", str(port))
    assert error_line(outcome) == f"set-match: metrics port: {port} cannot be used: Address already in use"
