"""TLS and mutual TLS with certificates of the test run."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import grpc
import pytest
import trustme
from click.testing import CliRunner

from match_handler.cli import main
from match_handler.service.config import Settings, SettingsError, Tls
from match_handler.service.server import start_server
from match_handler.service.tls_check import check_tls
from match_handler.v1 import match_handler_pb2 as pb
from match_handler.v1.match_handler_pb2_grpc import MatchHandlerServiceStub
from tests.service.certificates import CertificatePair, make_certificate
from tests.service.served import ANY_PORT, serving


@dataclass(frozen=True)
class Certificates:
    """The file of an authority, its certificates, and a certificate of another authority."""

    authority: Path
    server: CertificatePair
    client: CertificatePair
    stranger: CertificatePair


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    folder = tmp_path_factory.mktemp("tls")
    authority, file = trustme.CA(), folder / "authority.crt"
    authority.cert_pem.write_to_path(file)
    return Certificates(
        file,
        make_certificate(folder, "server", authority),
        make_certificate(folder, "client", authority),
        make_certificate(folder, "stranger", trustme.CA()),
    )


def mutual(certificates: Certificates) -> Tls:
    return Tls(certificates.server.certificate, certificates.server.key, certificates.authority)


@contextmanager
def channel_to(port: int, authority: Path, client: CertificatePair | None = None) -> Iterator[grpc.Channel]:
    credentials = grpc.ssl_channel_credentials(
        authority.read_bytes(),
        None if client is None else client.key.read_bytes(),
        None if client is None else client.certificate.read_bytes(),
    )
    with grpc.secure_channel(f"localhost:{port}", credentials) as channel:
        yield channel


def seats(channel: grpc.Channel) -> int:
    reply = MatchHandlerServiceStub(channel).MatchOptions(pb.MatchOptionsRequest(), timeout=20)
    return reply.seats


def test_client_that_trusts_the_authority_is_served(certificates: Certificates) -> None:
    tls = Tls(certificates.server.certificate, certificates.server.key)
    with serving(tls=tls) as running, channel_to(running.port, certificates.authority) as channel:
        assert seats(channel) == 2


def test_plain_text_connection_is_rejected(certificates: Certificates) -> None:
    tls = Tls(certificates.server.certificate, certificates.server.key)
    with (
        serving(tls=tls) as running,
        grpc.insecure_channel(f"localhost:{running.port}") as channel,
        pytest.raises(grpc.RpcError) as raised,
    ):
        seats(channel)
    assert raised.value.code() is grpc.StatusCode.UNAVAILABLE


def test_client_certificate_of_the_authority_is_accepted(certificates: Certificates) -> None:
    with (
        serving(tls=mutual(certificates)) as running,
        channel_to(running.port, certificates.authority, certificates.client) as channel,
    ):
        assert seats(channel) == 2


@pytest.mark.parametrize("which", ["none", "stranger"])
def test_other_client_certificates_are_rejected(certificates: Certificates, which: str) -> None:
    client = certificates.stranger if which == "stranger" else None
    with (
        serving(tls=mutual(certificates)) as running,
        channel_to(running.port, certificates.authority, client) as channel,
        pytest.raises(grpc.RpcError) as raised,
    ):
        seats(channel)
    assert raised.value.code() is grpc.StatusCode.UNAVAILABLE


def test_healthcheck_sends_its_client_certificate(certificates: Certificates) -> None:
    environment = {
        "SET_MATCH_TLS_CA": str(certificates.authority),
        "SET_MATCH_TLS_CERT": str(certificates.client.certificate),
        "SET_MATCH_TLS_KEY": str(certificates.client.key),
    }
    with serving(tls=mutual(certificates)) as running:
        arguments = ["healthcheck", "--address", f"127.0.0.1:{running.port}", "--timeout", "20"]
        good = CliRunner().invoke(main, arguments, env=environment)
        bad = CliRunner().invoke(main, arguments, env={"SET_MATCH_TLS_CA": environment["SET_MATCH_TLS_CA"]})
    assert (good.exit_code, bad.exit_code) == (0, 1)


def test_missing_file_is_named(certificates: Certificates, tmp_path: Path) -> None:
    tls = Tls(tmp_path / "missing.crt", certificates.server.key)
    with pytest.raises(SettingsError, match=r"missing\.crt cannot be read: No such file or directory$"):
        start_server(Settings(listen=ANY_PORT, tls=tls))


INVALID_FILES = {
    "junk for a certificate": ("junk", "server", "junk holds no certificate; a PEM file is needed"),
    "junk for a key": ("server", "junk", "junk holds no usable key; a PEM file without a password"),
    "another's key": ("server", "client", "client.key does not belong to the certificate in"),
    "junk for an authority": ("server", "server", "junk holds no certificate"),
}


def test_tls_name_overrides_the_expected_host_name(certificates: Certificates) -> None:
    """A container connects by address, and the certificate need not contain the address."""
    tls = Tls(certificates.server.certificate, certificates.server.key)
    with serving(tls=tls) as running:
        arguments = ["healthcheck", "--address", f"127.0.0.1:{running.port}", "--timeout", "20"]
        arguments += ["--tls-ca", str(certificates.authority)]
        good = CliRunner().invoke(main, [*arguments, "--tls-name", "localhost"])
        bad = CliRunner().invoke(main, [*arguments, "--tls-name", "elsewhere"])
    assert (good.exit_code, bad.exit_code) == (0, 1)


@pytest.mark.parametrize("invalid", INVALID_FILES)
def test_invalid_tls_files_are_named(certificates: Certificates, tmp_path: Path, invalid: str) -> None:
    certificate, key, text = INVALID_FILES[invalid]
    junk = tmp_path / "junk"
    junk.write_text("no certificate")
    files = {
        "junk": CertificatePair(junk, junk),
        "server": certificates.server,
        "client": certificates.client,
    }
    authority = junk if invalid.endswith("authority") else None
    with pytest.raises(SettingsError, match=text):
        check_tls(Tls(files[certificate].certificate, files[key].key, authority))
