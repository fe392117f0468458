"""The health check of the page's image does not use a proxy, which Docker can set in every container."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from demo.stack.ports import HOST
from demo.stack.settings import PROJECT

if TYPE_CHECKING:
    from collections.abc import Iterator

NO_SERVER = f"http://{HOST}:9"
PROXIES = {"http_proxy": NO_SERVER, "HTTP_PROXY": NO_SERVER, "https_proxy": NO_SERVER, "all_proxy": NO_SERVER}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/config.json" else 404)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def port() -> Iterator[int]:
    """The port of a server in place of the page's."""
    server = HTTPServer((HOST, 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


def health_check(port: int) -> int:
    """Run the health check on this port, with a proxy in the environment, and return its exit code."""
    text = (PROJECT / "demo" / "page" / "Dockerfile").read_text().replace("\\\n", "")
    (command,) = re.findall(r"^HEALTHCHECK .* CMD (\[.*\])$", text, re.MULTILINE)
    program, *arguments = json.loads(command)
    assert program == "python3"
    arguments = [each.replace(":7380/", f":{port}/") for each in arguments]
    done = subprocess.run([sys.executable, *arguments], env=PROXIES, capture_output=True, check=False)
    return done.returncode


def test_page_health_check_ignores_proxies(port: int) -> None:
    assert health_check(port) == 0


def test_page_health_check_fails_without_a_server() -> None:
    assert health_check(9) != 0
