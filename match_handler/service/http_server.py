"""HTTP server of the metrics port: `/metrics` for Prometheus and `/healthz` for cheap health checks."""

import threading
from collections.abc import Callable, Iterable
from socketserver import ThreadingMixIn
from typing import TYPE_CHECKING, Final
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from prometheus_client import REGISTRY, CollectorRegistry, make_wsgi_app
from prometheus_client.multiprocess import MultiProcessCollector

from match_handler.service.config import Address, SettingsError
from match_handler.service.ports import family_of

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

HEALTH_PATH: Final = "/healthz"
IDLE_SECONDS: Final = 10.0


class _Handler(WSGIRequestHandler):
    """Handler without an access log. A client that sends nothing does not keep its thread."""

    timeout = IDLE_SECONDS

    def log_message(self, *_: object) -> None:
        """Log nothing."""


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Ipv6Server(_Server):
    address_family = family_of("::")


def all_interfaces(listen: Address, port: int) -> Address:
    """Return the address of all interfaces, of the same IP version as the address of the service."""
    return Address("[::]" if ":" in listen.host else "0.0.0.0", port)  # noqa: S104 - Prometheus is elsewhere


def serve_http(address: Address, is_ready: Callable[[], bool], folder: str | None = None) -> int:
    """Serve `/metrics` and `/healthz` on a background thread and return the port.

    Args:
        address: the address to listen on; for port 0 the system chooses a free port.
        is_ready: returns whether the service accepts calls; `/healthz` then answers 200, otherwise 503.
        folder: the folder of the workers' metrics; None: serve the metrics of this process.

    Raises:
        SettingsError: the port cannot be used.
    """
    host = address.host.strip("[]")
    kind = _Ipv6Server if ":" in host else _Server
    try:
        server = make_server(host, address.port, _application(is_ready, folder), kind, _Handler)
    except OSError as error:
        raise SettingsError(f"metrics port: {address.port} cannot be used: {error.strerror}") from error
    threading.Thread(target=server.serve_forever, name="http", daemon=True).start()
    return server.server_port


def _application(is_ready: Callable[[], bool], folder: str | None) -> "WSGIApplication":
    registry = REGISTRY
    if folder is not None:
        registry = CollectorRegistry()
        MultiProcessCollector(registry, folder)  # type: ignore[no-untyped-call]
    metrics: WSGIApplication = make_wsgi_app(registry)

    def answer(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        if environ["PATH_INFO"] != HEALTH_PATH:
            return metrics(environ, start_response)
        status, text = ("200 OK", b"ready\n") if is_ready() else ("503 Service Unavailable", b"not ready\n")
        start_response(status, [("Content-Type", "text/plain"), ("Content-Length", str(len(text)))])
        return [text]

    return answer
