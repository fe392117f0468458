"""A proxy in the environment, as Docker and companies set it, is not used for connections to this system."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from demo.client.nakama_client import NakamaClient
from demo.stack.nakama_server import _is_healthy as nakama_is_healthy
from demo.stack.rules_service import _is_healthy as rules_service_is_healthy
from tests.service.processes import run
from tests.service.served import serving

DEAD_PROXY = "http://127.0.0.1:1"
VARIABLES = ("http_proxy", "https_proxy", "grpc_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
PROXIES = dict.fromkeys(VARIABLES, DEAD_PROXY) | {"no_proxy": "", "NO_PROXY": "", "no_grpc_proxy": ""}


class _Nakama(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def do_POST(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"token":"a.eyJ1aWQiOiJ1IiwidXNuIjoibiJ9.b"}')

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def nakama_port() -> Iterator[int]:
    with HTTPServer(("127.0.0.1", 0), _Nakama) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


@pytest.fixture
def _dead_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in PROXIES.items():
        monkeypatch.setenv(name, value)


def test_healthcheck_ignores_proxies() -> None:
    with serving() as running:
        outcome = run("healthcheck", "--address", f"127.0.0.1:{running.port}", "--timeout", "20", **PROXIES)
    assert (outcome.returncode, outcome.stderr) == (0, "")


@pytest.mark.usefixtures("_dead_proxy")
def test_native_stack_ignores_proxies(nakama_port: int) -> None:
    with serving() as running:
        assert rules_service_is_healthy(running.port)
    assert nakama_is_healthy(nakama_port)
    with NakamaClient(f"http://127.0.0.1:{nakama_port}", "device-0123456", "ann") as client:
        assert client.user_id == "u"
