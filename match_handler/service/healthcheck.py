"""Client of the gRPC health service, for the health checks of containers and clusters (DESIGN section 4)."""

from dataclasses import dataclass
from pathlib import Path

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from match_handler.service.channels import open_channel
from match_handler.service.config import Address, SettingsError
from match_handler.service.tls import check_authority, read_pem
from match_handler.service.tls_check import check_pair

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
        SettingsError: a TLS file cannot be used.
    """
    target = Address(_LOOPBACK_OF.get(address.host, address.host), address.port)
    try:
        name = None if tls is None else tls.name
        with open_channel(target, _credentials(tls), name) as channel:
            check = health_pb2_grpc.HealthStub(channel).Check
            response = check(health_pb2.HealthCheckRequest(), timeout=timeout_s)
    except grpc.RpcError as error:
        raise NotReadyError(f"{target} does not answer: {error.code().name}: {error.details()}") from error
    if response.status != health_pb2.HealthCheckResponse.SERVING:
        raise NotReadyError(f"{target} is not ready")
    return target


def _credentials(tls: ClientTls | None) -> grpc.ChannelCredentials | None:
    if tls is None:
        return None
    check_authority(tls.authority)
    if tls.certificate is None or tls.key is None:
        return grpc.ssl_channel_credentials(read_pem(tls.authority))
    check_pair(tls.certificate, tls.key)
    files = (tls.authority, tls.key, tls.certificate)
    return grpc.ssl_channel_credentials(*map(read_pem, files))
