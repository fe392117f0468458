"""Client of the gRPC health service, for the health checks of containers and clusters (DESIGN section 4)."""

import ssl
from dataclasses import dataclass
from pathlib import Path

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from match_handler.service.config import Address, SettingsError

_LOOPBACK_OF = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}  # noqa: S104
"""The host to connect to for a server that listens on all interfaces."""


class NotReadyError(RuntimeError):
    """The service does not answer, or does not accept calls. The message contains the reason."""


@dataclass(frozen=True, slots=True)
class ClientTls:
    """TLS settings of the health check client."""

    authority: Path
    """The PEM file of the authority that signed the server's certificate."""
    certificate: Path | None = None
    """The PEM file of the client certificate, for servers that require one (mTLS)."""
    key: Path | None = None
    """The PEM file of the client certificate's key."""
    name: str | None = None
    """The name to expect in the server's certificate; None: the host of the address."""

    @classmethod
    def of(
        cls, authority: Path | None, certificate: Path | None, key: Path | None, name: str | None
    ) -> "ClientTls | None":
        """Return the TLS settings; None for plain text.

        Raises:
            SettingsError: a certificate without an authority, or only one of certificate and key.
        """
        if (certificate is None) != (key is None):
            raise SettingsError("healthcheck: --tls-cert and --tls-key are needed together")
        if authority is not None:
            return cls(authority, certificate, key, name)
        if certificate is not None:
            raise SettingsError("healthcheck: TLS needs --tls-ca, the authority of the server's certificate")
        return None


def require_ready(address: Address, tls: ClientTls | None, timeout_s: float) -> Address:
    """Check that the service at an address is ready, and return the address of the connection.

    For the address of all interfaces (such as 0.0.0.0), the check connects to the loopback address.

    Raises:
        NotReadyError: the service is not ready.
        SettingsError: a TLS file cannot be read.
    """
    target = Address(_LOOPBACK_OF.get(address.host, address.host), address.port)
    try:
        with _channel(target, tls) as channel:
            check = health_pb2_grpc.HealthStub(channel).Check
            response = check(health_pb2.HealthCheckRequest(), timeout=timeout_s)
    except grpc.RpcError as error:
        raise NotReadyError(f"{target} does not answer: {error.code().name}: {error.details()}") from error
    if response.status != health_pb2.HealthCheckResponse.SERVING:
        raise NotReadyError(f"{target} is not ready")
    return target


def _channel(target: Address, tls: ClientTls | None) -> grpc.Channel:
    if tls is None:
        return grpc.insecure_channel(str(target))
    credentials = grpc.ssl_channel_credentials(
        _authority(tls.authority), _read(tls.key), _read(tls.certificate)
    )
    options = [] if tls.name is None else [("grpc.ssl_target_name_override", tls.name)]
    return grpc.secure_channel(str(target), credentials, options)


def _authority(path: Path) -> bytes | None:
    """Return the content of an authority's file, after a check that gives a shorter error than gRPC does."""
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
