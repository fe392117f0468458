"""TLS credentials of the server, and a check of the TLS files before the start."""

import ssl
from pathlib import Path

import grpc

from match_handler.service.config import SettingsError, Tls


def check_tls(tls: Tls | None) -> None:
    """Check that the TLS files can be read and that the key belongs to the certificate.

    Raises:
        SettingsError: a file cannot be read or is not PEM, or the key does not belong to the certificate.
    """
    if tls is None:
        return
    credentials(tls)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(tls.certificate, tls.key, password=lambda: b"")
    except ssl.SSLError as error:
        raise SettingsError(f"TLS: {tls.certificate} and {tls.key} are no certificate and its key") from error
    try:
        context.load_verify_locations(tls.client_authority or tls.certificate)
    except ssl.SSLError as error:
        raise SettingsError(f"TLS: {tls.client_authority} holds no certificate") from error


def credentials(tls: Tls) -> grpc.ServerCredentials:
    """Return the server credentials for gRPC. With a client authority, clients need a certificate (mTLS).

    Raises:
        SettingsError: a file cannot be read.
    """
    authority = None if tls.client_authority is None else _read(tls.client_authority)
    return grpc.ssl_server_credentials(
        [(_read(tls.key), _read(tls.certificate))],
        root_certificates=authority,
        require_client_auth=authority is not None,
    )


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise SettingsError(f"TLS: {path} cannot be read: {error.strerror}") from error
