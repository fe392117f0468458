"""Check of the TLS files before the start, with real connections on the loopback address (decision E76)."""

import logging
import os
import socket
import ssl
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from match_handler.service.channels import open_channel
from match_handler.service.config import Address, SettingsError, Tls
from match_handler.service.tls import check_authority, credentials, read_pem

log = logging.getLogger(__name__)

KEY_TYPES: Final = "RSA with 2048 bits or more, ECDSA with P-256 or P-384"
"""The types of keys that gRPC can use in servers and in clients."""
HANDSHAKE_SECONDS: Final = 10.0
_OUTSIDE_VALIDITY: Final = (9, 10)
"""OpenSSL's codes for a certificate that is not valid yet, or has expired."""
_UNSUPPORTED: Final = f"unsupported type of key; allowed are {KEY_TYPES}"
_MISMATCHES: Final = ("KEY_VALUES_MISMATCH", "KEY_TYPE_MISMATCH", "NO_CERTIFICATE_ASSIGNED")
"""OpenSSL's reasons; the last one means that the key has another type than the certificate's key."""


def check_tls(tls: Tls | None) -> None:
    """Check that clients can connect with the TLS files; log a certificate that is not valid now.

    Raises:
        SettingsError: a file cannot be read or is not PEM, the key does not belong to the certificate, or
            clients cannot use the certificate.
    """
    if tls is None:
        return
    check_pair(tls.certificate, tls.key)
    if tls.client_authority is not None:
        check_authority(tls.client_authority)
    with _silent_grpc():
        invalid_now = _check_connections(replace(tls, client_authority=None))
        if tls.client_authority is not None:
            _check_loading(tls, tls.client_authority)
    if invalid_now is not None:
        extra = {"certificate": str(tls.certificate), "problem": invalid_now}
        log.warning("clients cannot use the TLS certificate now", extra=extra)


def check_pair(certificate: Path, key: Path) -> None:
    """Check that a file holds a certificate, and that the key in the other file belongs to it.

    Raises:
        SettingsError: it is not so, or a file cannot be read.
    """
    check_authority(certificate)
    read_pem(key)
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password=lambda: b"")
    except ssl.SSLError as error:
        raise SettingsError(f"TLS: {_problem(certificate, key, error.reason or '')}") from error


def _problem(certificate: Path, key: Path, reason: str) -> str:
    if reason in _MISMATCHES:
        return f"the key in {key} does not belong to the certificate in {certificate}"
    if reason.startswith(("EE_", "CA_")):
        return _refused(certificate, f"{reason.replace('_', ' ').lower()}; allowed are {KEY_TYPES}")
    return f"{key} holds no usable key; a PEM file without a password is needed"


def _refused(certificate: Path, reason: str) -> str:
    return f"clients cannot use the certificate in {certificate}: {reason}"


def _check_connections(tls: Tls) -> str | None:
    """Connect to a server with these files; return the problem of a certificate that is not valid now."""
    server = _server()
    try:
        port = server.add_secure_port("127.0.0.1:0", credentials(tls))
        server.start()
        name = _handshake(port, tls.certificate)
        _call(port, tls.certificate, name)
    except RuntimeError as error:
        raise SettingsError(f"TLS: {_refused(tls.certificate, _UNSUPPORTED)}") from error
    except ssl.SSLCertVerificationError as error:
        if error.verify_code not in _OUTSIDE_VALIDITY:
            raise SettingsError(f"TLS: {_refused(tls.certificate, error.verify_message)}") from error
        return error.verify_message
    except OSError as error:
        reason = error.strerror or "the handshake fails"
        raise SettingsError(f"TLS: {_refused(tls.certificate, reason)}") from error
    finally:
        server.stop(None)
    return None


def _check_loading(tls: Tls, authority: Path) -> None:
    try:
        _server().add_secure_port("127.0.0.1:0", credentials(tls))
    except RuntimeError as error:
        raise SettingsError(f"TLS: {authority} holds no certificate that gRPC can use") from error


def _server() -> grpc.Server:
    return grpc.server(ThreadPoolExecutor(1))


def _handshake(port: int, certificate: Path) -> str:
    """Connect as OpenSSL does, and return a name in the certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.load_verify_locations(certificate)
    context.set_alpn_protocols(["h2"])
    with (
        socket.create_connection(("127.0.0.1", port), HANDSHAKE_SECONDS) as plain,
        context.wrap_socket(plain) as connection,
    ):
        found = connection.getpeercert() or {}
    usable = list(_names(found))
    if not usable:
        raise SettingsError(
            f"TLS: the certificate in {certificate} has no subjectAltName with a DNS name or IP"
        )
    return usable[0]


def _names(certificate: Mapping[str, Any]) -> Iterator[str]:
    for kind, name in certificate.get("subjectAltName", ()):
        if kind == "DNS":
            yield name.replace("*", "any")
        if kind == "IP Address":
            yield ip_address(name).compressed


def _call(port: int, certificate: Path, name: str) -> None:
    """Connect as gRPC does. It accepts fewer types of keys in clients than in servers."""
    trusted = grpc.ssl_channel_credentials(read_pem(certificate))
    with open_channel(Address("127.0.0.1", port), trusted, name) as channel:
        try:
            check = health_pb2_grpc.HealthStub(channel).Check
            check(health_pb2.HealthCheckRequest(), timeout=HANDSHAKE_SECONDS)
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.UNIMPLEMENTED:
                raise SettingsError(f"TLS: {_refused(certificate, _UNSUPPORTED)}") from error


@contextmanager
def _silent_grpc() -> Iterator[None]:
    """Discard what gRPC writes to standard error: many lines for each failed connection."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
