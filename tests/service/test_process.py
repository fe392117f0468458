"""The service as a process: it starts, stops when told, and refuses what it cannot do (exit 2, one line)."""

import signal
import socket

import grpc
import pytest

from demo.ports import free_port
from match_handler.service.config import Address, Settings, SettingsError
from match_handler.service.server import start_server
from tests.service.processes import Serving, refused_line, run, served
from tests.service.served import Shim, stub_at


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_serves_until_it_is_told_to_stop(number: signal.Signals) -> None:
    with served() as serving:
        with stub_at(serving.port()) as stub:
            assert Shim(stub).init().seats == 2
        serving.signal(number)
        assert serving.wait() == 0
        assert [line["msg"] for line in serving.lines] == ["serving", "stopped"]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_signals_that_interrupt_each_other_stop_it_as_one_does(workers: str) -> None:
    with served("--workers", workers) as serving:
        serving.port()
        for _ in range(500):
            serving.signal(signal.SIGTERM)
            serving.signal(signal.SIGINT)
        assert serving.wait() == 0


def test_settings_come_from_the_environment_too() -> None:
    settings = {"SET_MATCH_ALLOW_SEED": "1", "SET_MATCH_TOKEN": "sesame", "SET_MATCH_LOG_LEVEL": "warning"}
    port = free_port()
    with served("--listen", f"127.0.0.1:{port}", **settings) as serving:
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            grpc.channel_ready_future(channel).result(timeout=60)
        with stub_at(port) as stub, pytest.raises(grpc.RpcError) as raised:
            Shim(stub).init(b'{"seed":1}')
        assert raised.value.code() is grpc.StatusCode.UNAUTHENTICATED
        serving.signal(signal.SIGTERM)
        assert serving.wait() == 0
        assert serving.lines == []


def test_a_misspelt_setting_is_named() -> None:
    misspelt = {"SET_MATCH_WORKER": "2", "SET_MATCH_HEALTH_NAME": "rules"}
    with served(**misspelt) as serving:
        serving.port()
        (line,) = serving.logged("unknown setting")
    assert (line["level"], line["setting"]) == ("WARNING", "SET_MATCH_WORKER")
    assert "SET_MATCH_WORKERS" in line["allowed"]


def test_a_log_line_is_json_with_short_names() -> None:
    with served() as serving:
        (line,) = serving.logged("serving")
    assert set(line) == {"ts", "level", "logger", "pid", "msg", "address"}
    assert (line["level"], line["logger"], line["pid"]) == (
        "INFO",
        "match_handler.service.server",
        serving.pid,
    )


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_busy_port_is_one_clear_line(workers: str) -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        address = f"127.0.0.1:{busy.getsockname()[1]}"
        outcome = run("serve", "--listen", address, "--workers", workers)
    assert refused_line(outcome).startswith(f"set-match: listen: {address} cannot be used")
    assert len(outcome.stderr.strip().splitlines()) == 1


def test_a_port_that_is_taken_at_the_last_moment_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("match_handler.service.server.free_port", lambda address: address)
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        address = Address("127.0.0.1", busy.getsockname()[1])
        with pytest.raises(SettingsError, match=f"{address} cannot be used; another program may hold"):
            start_server(Settings(listen=address))


def test_two_services_do_not_share_a_port_by_accident() -> None:
    with served("--workers", "2") as first:
        address = f"127.0.0.1:{first.port(workers=2)}"
        for workers in ("1", "2"):
            assert address in refused_line(run("serve", "--listen", address, "--workers", workers))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--listen", "nowhere"], "listen: 'nowhere' is not host:port with a port of 0..65535"),
        (["--listen", "0.0.0.0:0"], "plain text"),
        (["--workers", "0"], "0 is not in the range 1<=x<=64"),
        (["--workers", "many"], "'many' is not a valid whole number of 1..64"),
        (["--metrics-port", "70000"], "70000 is not in the range"),
        (["--log-level", "loud"], "'loud' is not one of 'debug', 'info', 'warning', 'error'"),
        (["--token", "open sesame"], "token: it holds a character that is not allowed: visible ASCII"),
        (["--tls-cert", "/no/such/file"], "does not exist"),
        (["--tls-cert", __file__], "SET_MATCH_TLS_CERT and SET_MATCH_TLS_KEY are needed together"),
        (["--chess"], "No such option"),
    ],
)
def test_wrong_flags_are_refused(arguments: list[str], text: str) -> None:
    assert text in refused_line(run("serve", *arguments))


def test_a_wrong_setting_in_the_environment_is_refused_too() -> None:
    refusal = refused_line(run("serve", SET_MATCH_WORKERS="none"))
    assert "--workers" in refusal
    assert "SET_MATCH_WORKERS" in refusal
    assert refused_line(run("serve", SET_MATCH_LISTEN="x")).endswith("port of 0..65535")


def test_a_killed_service_leaves_nothing_that_a_new_one_minds() -> None:
    with served() as first:
        port = first.port()
        first.signal(signal.SIGKILL)
        assert first.wait() == -signal.SIGKILL
    with served("--listen", f"127.0.0.1:{port}") as second:
        assert second.port() == port
        assert isinstance(second, Serving)
