"""One server process: the servicer, health, reflection, and a clean end on SIGTERM."""

import logging
import os
from typing import TYPE_CHECKING, Final

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from match_handler.service.auth import TokenGuard
from match_handler.service.call_pool import CallPool
from match_handler.service.config import Address, Settings, SettingsError
from match_handler.service.ports import free_port
from match_handler.service.servicer import MatchHandler
from match_handler.service.signals import StopRequest
from match_handler.service.tls import check_tls, credentials
from match_handler.service.trace_config import tracing_of
from match_handler.v1 import match_handler_pb2 as pb
from match_handler.v1.match_handler_pb2_grpc import add_MatchHandlerServiceServicer_to_server

if TYPE_CHECKING:
    from match_handler.service.tracing import Tracing

log = logging.getLogger(__name__)

SERVICE_NAME: Final = pb.DESCRIPTOR.services_by_name["MatchHandlerService"].full_name
THREADS: Final = 4
"""Calls are short and hold the interpreter: more threads would only wait. More cores need workers."""

MIN_PING_MS: Final = 5_000
"""Pings of idle connections are welcome this often: the shim looks for dead services every ten seconds."""


class RunningServer:
    """A started server and its health."""

    def __init__(
        self, server: grpc.Server, port: int, status: health.HealthServicer, tracing: "Tracing | None"
    ) -> None:
        self.port = port
        self._server = server
        self._health = status
        self._tracing = tracing

    def drain(self, seconds: float) -> None:
        """Says NOT_SERVING, takes no new calls, waits up to `seconds` for running ones, hands traces over."""
        self._health.enter_graceful_shutdown()
        self._server.stop(seconds).wait()
        if self._tracing is not None:
            self._tracing.close()


def _new_server(settings: Settings, tracing: "Tracing | None", *, shared_port: bool) -> grpc.Server:
    guards: list[grpc.ServerInterceptor] = [] if settings.token is None else [TokenGuard(settings.token)]
    return grpc.server(
        CallPool(THREADS, thread_name_prefix="call"),
        interceptors=guards if tracing is None else [tracing, *guards],
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
    """Starts serving.

    Args:
        settings: where and how; port 0 lets the system choose.
        shared_port: whether other processes listen on the same port.

    Raises:
        SettingsError: the address cannot be used, or the TLS files cannot.
    """
    check_tls(settings.tls)
    address = settings.listen if shared_port else free_port(settings.listen)
    begin_tracing = tracing_of(os.environ)
    tracing = None if begin_tracing is None else begin_tracing()
    server = _new_server(settings, tracing, shared_port=shared_port)
    status = health.HealthServicer()
    handler = MatchHandler(
        allow_seed=settings.allow_seed,
        idle_ms=settings.idle_minutes * 60_000,
        ranked_ms=settings.ranked_seconds * 1000,
    )
    add_MatchHandlerServiceServicer_to_server(handler, server)
    health_pb2_grpc.add_HealthServicer_to_server(status, server)
    reflection.enable_server_reflection((SERVICE_NAME, health.SERVICE_NAME, reflection.SERVICE_NAME), server)
    port = _bind(server, settings, address)
    server.start()
    for name in ("", SERVICE_NAME):
        status.set(name, health_pb2.HealthCheckResponse.SERVING)
    return RunningServer(server, port, status, tracing)


def run_until(stop: StopRequest, settings: Settings, *, shared_port: bool = False) -> None:
    """Serves until the stop is asked for, then drains."""
    running = start_server(settings, shared_port=shared_port)
    log.info("serving", extra={"address": f"{settings.listen.host}:{running.port}"})
    stop.wait()
    running.drain(settings.drain_seconds)
    log.info("stopped")
