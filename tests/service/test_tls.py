"""TLS and mutual TLS, with certificates made for the test."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import grpc
import pytest
from click.testing import CliRunner

from match_handler.cli import main
from match_handler.service.config import Address, Settings, SettingsError, Tls
from match_handler.service.healthcheck import ClientTls, require_ready
from match_handler.service.server import start_server
from match_handler.service.tls import check_tls
from match_handler.v1 import match_handler_pb2 as pb
from match_handler.v1.match_handler_pb2_grpc import MatchHandlerServiceStub
from tests.service.certificates import Pair, make_authority, make_certificate
from tests.service.processes import run
from tests.service.served import HERE, serving


@dataclass(frozen=True)
class Papers:
    """Two authorities that do not know each other, and what they signed."""

    authority: Pair
    server: Pair
    client: Pair
    stranger: Pair


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Papers:
    folder = tmp_path_factory.mktemp("tls")
    authority, other = make_authority(folder, "authority"), make_authority(folder, "other")
    return Papers(
        authority,
        make_certificate(folder, "server", authority),
        make_certificate(folder, "client", authority),
        make_certificate(folder, "stranger", other),
    )


def mutual(papers: Papers) -> Tls:
    return Tls(papers.server.certificate, papers.server.key, papers.authority.certificate)


@contextmanager
def channel_to(port: int, authority: Pair, client: Pair | None = None) -> Iterator[grpc.Channel]:
    credentials = grpc.ssl_channel_credentials(
        authority.certificate.read_bytes(),
        None if client is None else client.key.read_bytes(),
        None if client is None else client.certificate.read_bytes(),
    )
    with grpc.secure_channel(f"localhost:{port}", credentials) as channel:
        yield channel


def seats(channel: grpc.Channel) -> int:
    reply = MatchHandlerServiceStub(channel).MatchOptions(pb.MatchOptionsRequest(), timeout=20)
    return reply.seats


def test_a_client_that_trusts_the_authority_is_served(papers: Papers) -> None:
    tls = Tls(papers.server.certificate, papers.server.key)
    with serving(tls=tls) as running, channel_to(running.port, papers.authority) as channel:
        assert seats(channel) == 2


def test_plain_text_is_not_answered(papers: Papers) -> None:
    tls = Tls(papers.server.certificate, papers.server.key)
    with (
        serving(tls=tls) as running,
        grpc.insecure_channel(f"localhost:{running.port}") as channel,
        pytest.raises(grpc.RpcError) as raised,
    ):
        seats(channel)
    assert raised.value.code() is grpc.StatusCode.UNAVAILABLE


def test_a_client_with_a_certificate_of_the_authority_is_let_in(papers: Papers) -> None:
    with (
        serving(tls=mutual(papers)) as running,
        channel_to(running.port, papers.authority, papers.client) as channel,
    ):
        assert seats(channel) == 2


@pytest.mark.parametrize("which", ["none", "stranger"])
def test_any_other_client_is_not(papers: Papers, which: str) -> None:
    client = papers.stranger if which == "stranger" else None
    with (
        serving(tls=mutual(papers)) as running,
        channel_to(running.port, papers.authority, client) as channel,
        pytest.raises(grpc.RpcError) as raised,
    ):
        seats(channel)
    assert raised.value.code() is grpc.StatusCode.UNAVAILABLE


def test_the_healthcheck_shows_its_certificate(papers: Papers) -> None:
    environment = {
        "SET_MATCH_TLS_CA": str(papers.authority.certificate),
        "SET_MATCH_TLS_CERT": str(papers.client.certificate),
        "SET_MATCH_TLS_KEY": str(papers.client.key),
    }
    with serving(tls=mutual(papers)) as running:
        arguments = ["healthcheck", "--address", f"127.0.0.1:{running.port}", "--timeout", "20"]
        good = CliRunner().invoke(main, arguments, env=environment)
        bad = CliRunner().invoke(main, arguments, env={"SET_MATCH_TLS_CA": environment["SET_MATCH_TLS_CA"]})
    assert (good.exit_code, bad.exit_code) == (0, 1)


def test_a_file_that_is_not_there_is_named(papers: Papers, tmp_path: Path) -> None:
    tls = Tls(tmp_path / "missing.crt", papers.server.key)
    with pytest.raises(SettingsError, match=r"missing\.crt cannot be read: No such file or directory$"):
        start_server(Settings(listen=HERE, tls=tls))


MISFITS = {
    "junk for a certificate": ("junk", "server", "are no certificate and its key"),
    "junk for a key": ("server", "junk", "are no certificate and its key"),
    "another's key": ("server", "client", "are no certificate and its key"),
    "junk for an authority": ("server", "server", "holds no certificate"),
}


@pytest.mark.parametrize("misfit", MISFITS)
@pytest.mark.parametrize("workers", ["1", "2"])
def test_files_that_do_not_fit_are_refused_before_anything_starts(
    papers: Papers, tmp_path: Path, misfit: str, workers: str
) -> None:
    certificate, key, text = MISFITS[misfit]
    junk = tmp_path / "junk"
    junk.write_text("no certificate")
    files = {"junk": Pair(junk, junk), "server": papers.server, "client": papers.client}
    outcome = run(
        *("serve", "--listen", "127.0.0.1:0", "--workers", workers),
        *("--tls-cert", str(files[certificate].certificate), "--tls-key", str(files[key].key)),
        *("--tls-ca", str(junk if text.startswith("holds") else papers.authority.certificate)),
    )
    assert outcome.returncode == 2
    (line,) = outcome.stderr.splitlines()
    assert line.startswith("set-match: TLS: ")
    assert text in line


def test_the_healthcheck_needs_whole_tls_settings(papers: Papers) -> None:
    half = CliRunner().invoke(main, ["healthcheck", "--tls-cert", str(papers.client.certificate)])
    alone = CliRunner().invoke(
        main,
        ["healthcheck", *("--tls-cert", str(papers.client.certificate), "--tls-key", str(papers.client.key))],
    )
    assert (half.exit_code, alone.exit_code) == (2, 2)
    assert "--tls-cert and --tls-key are needed together" in half.output
    assert "TLS needs --tls-ca" in alone.output


def test_a_healthcheck_s_file_that_went_away_is_named(tmp_path: Path) -> None:
    tls = ClientTls(tmp_path / "gone.crt")
    with pytest.raises(SettingsError, match=r"gone\.crt cannot be read: No such file or directory$"):
        require_ready(Address("127.0.0.1", 1), tls, 1)


def test_a_certificate_for_another_name_can_be_asked_for_by_it(papers: Papers) -> None:
    """A container asks by its address, which its certificate need not name."""
    tls = Tls(papers.server.certificate, papers.server.key)
    with serving(tls=tls) as running:
        arguments = ["healthcheck", "--address", f"127.0.0.1:{running.port}", "--timeout", "20"]
        arguments += ["--tls-ca", str(papers.authority.certificate)]
        good = CliRunner().invoke(main, [*arguments, "--tls-name", "localhost"])
        bad = CliRunner().invoke(main, [*arguments, "--tls-name", "elsewhere"])
    assert (good.exit_code, bad.exit_code) == (0, 1)


@pytest.mark.parametrize("misfit", MISFITS)
def test_files_that_do_not_fit_are_named(papers: Papers, tmp_path: Path, misfit: str) -> None:
    certificate, key, text = MISFITS[misfit]
    junk = tmp_path / "junk"
    junk.write_text("no certificate")
    files = {"junk": Pair(junk, junk), "server": papers.server, "client": papers.client}
    authority = junk if text.startswith("holds") else None
    with pytest.raises(SettingsError, match=text):
        check_tls(Tls(files[certificate].certificate, files[key].key, authority))
