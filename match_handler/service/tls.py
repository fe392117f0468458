"""PEM files of TLS, and the credentials of the server."""

import ssl
from pathlib import Path
from typing import Final

import grpc

from match_handler.service.config import SettingsError, Tls

BYTE_ORDER_MARKS: Final = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


def read_pem(path: Path) -> bytes:
    """Return the content of a PEM file.

    Raises:
        SettingsError: the file cannot be read, or begins with a byte-order mark, which gRPC does not accept.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SettingsError(f"TLS: {path} cannot be read: {error.strerror}") from error
    if content.startswith(BYTE_ORDER_MARKS):
        raise SettingsError(f"TLS: {path} begins with a byte-order mark; save it as ASCII text without one")
    return content


def check_authority(path: Path) -> None:
    """Check that a file holds certificates.

    Raises:
        SettingsError: it cannot be read or holds none.
    """
    read_pem(path)
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(path)
    except ssl.SSLError as error:
        raise SettingsError(f"TLS: {path} holds no certificate; a PEM file is needed") from error


def credentials(tls: Tls) -> grpc.ServerCredentials:
    """Return the server credentials for gRPC. With a client authority, clients need a certificate (mTLS).

    Raises:
        SettingsError: a file cannot be read.
    """
    authority = None if tls.client_authority is None else read_pem(tls.client_authority)
    return grpc.ssl_server_credentials(
        [(read_pem(tls.key), read_pem(tls.certificate))],
        root_certificates=authority,
        require_client_auth=authority is not None,
    )
