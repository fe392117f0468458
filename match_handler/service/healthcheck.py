"""Asks a running service whether it is ready, as containers and clusters often do (DESIGN section 4)."""

import ssl
from dataclasses import dataclass
from pathlib import Path

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from match_handler.service.config import Address, SettingsError

_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}  # noqa: S104


class NotReadyError(RuntimeError):
    """The service does not answer, or says that it takes no calls; the message says which."""


@dataclass(frozen=True, slots=True)
class ClientTls:
    """How to ask over TLS."""

    authority: Path
    """The file of the authority that signed the server's certificate."""
    certificate: Path | None = None
    key: Path | None = None
    """Shown to a server that wants to know its clients."""
    name: str | None = None
    """A name in the server's certificate; None: the host that is asked."""

    @classmethod
    def of(
        cls, authority: Path | None, certificate: Path | None, key: Path | None, name: str | None
    ) -> "ClientTls | None":
        """TLS as set; None: plain text.

        Raises:
            SettingsError: there is a certificate but no authority, or only half of a pair.
        """
        if (certificate is None) != (key is None):
            raise SettingsError("healthcheck: --tls-cert and --tls-key are needed together")
        if authority is not None:
            return cls(authority, certificate, key, name)
        if certificate is not None:
            raise SettingsError("healthcheck: TLS needs --tls-ca, the authority of the server's certificate")
        return None


def require_ready(address: Address, tls: ClientTls | None, timeout_s: float) -> Address:
    """Asks the service at an address (on this machine where that is everywhere), and returns whom it asked.

    Raises:
        NotReadyError: it is not ready.
        SettingsError: a TLS file cannot be read.
    """
    asked = Address(_EVERYWHERE.get(address.host, address.host), address.port)
    try:
        with _channel(asked, tls) as channel:
            check = health_pb2_grpc.HealthStub(channel).Check
            answer = check(health_pb2.HealthCheckRequest(), timeout=timeout_s)
    except grpc.RpcError as error:
        raise NotReadyError(f"{asked} does not answer: {error.code().name}: {error.details()}") from error
    if answer.status != health_pb2.HealthCheckResponse.SERVING:
        raise NotReadyError(f"{asked} is not ready")
    return asked


def _channel(asked: Address, tls: ClientTls | None) -> grpc.Channel:
    if tls is None:
        return grpc.insecure_channel(str(asked))
    credentials = grpc.ssl_channel_credentials(
        _authority(tls.authority), _read(tls.key), _read(tls.certificate)
    )
    options = [] if tls.name is None else [("grpc.ssl_target_name_override", tls.name)]
    return grpc.secure_channel(str(asked), credentials, options)


def _authority(path: Path) -> bytes | None:
    """The file of an authority, looked at first: gRPC would say in four lines of its own that it is none."""
    content = _read(path)
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(path)
    except ssl.SSLError as error:
        raise SettingsError(f"TLS: {path} holds no certificate") from error
    return content


def _read(path: Path | None) -> bytes | None:
    try:
        return None if path is None else path.read_bytes()
    except OSError as error:
        raise SettingsError(f"TLS: {path} cannot be read: {error.strerror}") from error
