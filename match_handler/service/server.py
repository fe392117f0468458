"""One server process: servicer, health service, optional reflection, and graceful shutdown."""

import logging
import os
from typing import TYPE_CHECKING, Final, Protocol

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from match_handler.service.auth import TokenGuard
from match_handler.service.call_pool import CallPool
from match_handler.service.config import Address, Settings, SettingsError
from match_handler.service.ports import free_port
from match_handler.service.servicer import MatchHandler
from match_handler.service.signals import StopRequest
from match_handler.service.tls import credentials
from match_handler.service.tls_check import check_tls
from match_handler.service.trace_config import tracing_factory
from match_handler.service.worker_id import WorkerId
from match_handler.v1 import match_handler_pb2 as pb
from match_handler.v1.match_handler_pb2_grpc import add_MatchHandlerServiceServicer_to_server

if TYPE_CHECKING:
    from match_handler.service.tracing import Tracing

log = logging.getLogger(__name__)

SERVICE_NAME: Final = pb.DESCRIPTOR.services_by_name["MatchHandlerService"].full_name
THREADS: Final = 4
"""The number of threads for calls. Calls hold the interpreter lock, so more threads would not be faster."""

MIN_PING_MS: Final = 5_000
"""The shortest allowed interval of keepalive pings, in milliseconds; the shim sends one every ten seconds."""


class Readiness(Protocol):
    """Receives whether the server accepts calls."""

    def set(self) -> None:
        """The server accepts calls."""

    def clear(self) -> None:
        """The server does not accept calls any more."""


class RunningServer:
    """A started server with its health service and tracing."""

    def __init__(
        self, server: grpc.Server, port: int, status: health.HealthServicer, tracing: "Tracing | None"
    ) -> None:
        self.port = port
        self._server = server
        self._health = status
        self._tracing = tracing

    def drain(self, seconds: float) -> None:
        """Shut down gracefully: report NOT_SERVING, reject new calls, wait for calls in flight, flush traces.

        Args:
            seconds: the time limit for calls in flight; they are cancelled after it.
        """
        self._health.enter_graceful_shutdown()
        self._server.stop(seconds).wait()
        if self._tracing is not None:
            self._tracing.close()


def _new_server(settings: Settings, tracing: "Tracing | None", *, shared_port: bool) -> grpc.Server:
    interceptors: list[grpc.ServerInterceptor] = [WorkerId(settings.workers)]
    if settings.token is not None:
        interceptors.insert(0, TokenGuard(settings.token))
    if tracing is not None:
        interceptors.insert(0, tracing)
    return grpc.server(
        CallPool(THREADS, thread_name_prefix="call"),
        interceptors=interceptors,
        options=[
            ("grpc.so_reuseport", int(shared_port)),
            ("grpc.keepalive_permit_without_calls", 1),
            ("grpc.http2.min_ping_interval_without_data_ms", MIN_PING_MS),
        ],
    )


def _bind(server: grpc.Server, settings: Settings, address: Address) -> int:
    try:
        if settings.tls is None:
            return server.add_insecure_port(str(address))
        return server.add_secure_port(str(address), credentials(settings.tls))
    except RuntimeError as error:
        raise SettingsError(f"listen: {address} cannot be used; another program may hold the port") from error


def start_server(settings: Settings, *, shared_port: bool = False) -> RunningServer:
    """Start a server and report it as SERVING.

    Args:
        settings: the settings; for port 0 the system chooses a free port.
        shared_port: whether other processes listen on the same port.

    Raises:
        SettingsError: the address, a TLS file or the trace exporter cannot be used.
    """
    check_tls(settings.tls)
    address = settings.listen if shared_port else free_port(settings.listen)
    start_tracing = tracing_factory(os.environ)
    tracing = None if start_tracing is None else start_tracing()
    server = _new_server(settings, tracing, shared_port=shared_port)
    status = health.HealthServicer()
    handler = MatchHandler(
        allow_seed=settings.allow_seed,
        idle_ms=settings.idle_minutes * 60_000,
        ranked_ms=settings.ranked_seconds * 1000,
    )
    add_MatchHandlerServiceServicer_to_server(handler, server)
    health_pb2_grpc.add_HealthServicer_to_server(status, server)
    if settings.reflection:
        names = (SERVICE_NAME, health.SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, server)
    port = _bind(server, settings, address)
    server.start()
    for name in ("", SERVICE_NAME):
        status.set(name, health_pb2.HealthCheckResponse.SERVING)
    return RunningServer(server, port, status, tracing)


def run_until(
    stop: StopRequest, settings: Settings, readiness: Readiness, *, shared_port: bool = False
) -> None:
    """Serve until the stop request, then drain. Report the readiness."""
    running = start_server(settings, shared_port=shared_port)
    log.info("serving", extra={"address": f"{settings.listen.host}:{running.port}"})
    readiness.set()
    stop.wait()
    readiness.clear()
    running.drain(settings.drain_seconds)
    log.info("stopped")
