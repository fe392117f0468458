"""The service as a process: start, stop on a signal, and errors of settings (exit status 2, one line)."""

import signal
import socket

import grpc
import pytest

from demo.stack.ports import free_port
from match_handler.service.config import Address, Settings, SettingsError
from match_handler.service.server import start_server
from tests.service.processes import Serving, error_line, run, served
from tests.service.served import Shim, stub_at


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_service_runs_until_a_stop_signal(number: signal.Signals) -> None:
    with served() as serving:
        with stub_at(serving.port()) as stub:
            assert Shim(stub).init().seats == 2
        serving.signal(number)
        assert serving.wait() == 0
        assert [line["msg"] for line in serving.lines] == ["serving", "stopped"]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_repeated_stop_signals_stop_once(workers: str) -> None:
    with served("--workers", workers) as serving:
        serving.port()
        for _ in range(500):
            serving.signal(signal.SIGTERM)
            serving.signal(signal.SIGINT)
        assert serving.wait() == 0


def test_settings_are_read_from_the_environment() -> None:
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


def test_misspelt_setting_is_named() -> None:
    misspelt = {"SET_MATCH_WORKER": "2", "SET_MATCH_HEALTH_NAME": "rules"}
    with served(**misspelt) as serving:
        serving.port()
        (line,) = serving.logged("unknown setting")
    assert (line["level"], line["setting"]) == ("WARNING", "SET_MATCH_WORKER")
    assert "SET_MATCH_WORKERS" in line["allowed"]


def test_log_line_is_json_with_short_names() -> None:
    with served() as serving:
        (line,) = serving.logged("serving")
    assert set(line) == {"ts", "level", "logger", "pid", "msg", "address"}
    assert (line["level"], line["logger"], line["pid"]) == (
        "INFO",
        "match_handler.service.server",
        serving.pid,
    )


@pytest.mark.parametrize("workers", ["1", "2"])
def test_busy_port_is_reported_in_one_line(workers: str) -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        address = f"127.0.0.1:{busy.getsockname()[1]}"
        outcome = run("serve", "--listen", address, "--workers", workers)
    assert error_line(outcome).startswith(f"set-match: listen: {address} cannot be used")
    assert len(outcome.stderr.strip().splitlines()) == 1


def test_port_taken_during_the_start_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("match_handler.service.server.free_port", lambda address: address)
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        address = Address("127.0.0.1", busy.getsockname()[1])
        with pytest.raises(SettingsError, match=f"{address} cannot be used; another program may hold"):
            start_server(Settings(listen=address))


def test_two_services_cannot_share_a_port() -> None:
    with served("--workers", "2") as first:
        address = f"127.0.0.1:{first.port(workers=2)}"
        for workers in ("1", "2"):
            assert address in error_line(run("serve", "--listen", address, "--workers", workers))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--listen", "nowhere"], "listen: 'nowhere' is not host:port with a port of 0..65535"),
        (["--listen", "0.0.0.0:0"], "plain text"),
        (["--workers", "0"], "0 is not in the range 1<=x<=64"),
        (["--workers", "many"], "'many' is not a valid whole number of 1..64"),
        (["--metrics-port", "70000"], "70000 is not in the range"),
        (["--log-level", "loud"], "'loud' is not one of 'debug', 'info', 'warning', 'error'"),
        (["--token", "open sesame"], "token: only visible ASCII characters are allowed"),
        (["--tls-cert", "/no/such/file"], "does not exist"),
        (["--tls-cert", __file__], "SET_MATCH_TLS_CERT and SET_MATCH_TLS_KEY are needed together"),
        (["--chess"], "No such option"),
    ],
)
def test_invalid_flags_are_rejected(arguments: list[str], text: str) -> None:
    assert text in error_line(run("serve", *arguments))


def test_invalid_environment_setting_is_rejected() -> None:
    error = error_line(run("serve", SET_MATCH_WORKERS="none"))
    assert "--workers" in error
    assert "SET_MATCH_WORKERS" in error
    assert error_line(run("serve", SET_MATCH_LISTEN="x")).endswith("port of 0..65535")


def test_restart_after_a_kill_uses_the_same_port() -> None:
    with served() as first:
        port = first.port()
        first.signal(signal.SIGKILL)
        assert first.wait() == -signal.SIGKILL
    with served("--listen", f"127.0.0.1:{port}") as second:
        assert second.port() == port
        assert isinstance(second, Serving)
