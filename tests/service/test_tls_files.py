"""TLS files with which no client could connect are rejected before the start, in one line."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme

from match_handler.service.config import SettingsError, Tls
from match_handler.service.tls_check import KEY_TYPES, check_tls
from tests.service.certificates import make_certificate, openssl
from tests.service.processes import error_line, run, served

NAMED = "subjectAltName=DNS:rules"
CURVE = "ec_paramgen_curve:"
GOOD_KEYS = {
    "rsa2048": ["RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
    "p256": ["EC", "-pkeyopt", f"{CURVE}P-256"],
    "p384": ["EC", "-pkeyopt", f"{CURVE}P-384"],
}
BAD_KEYS = {
    "rsa1024": ["RSA", "-pkeyopt", "rsa_keygen_bits:1024"],
    "rsapss": ["RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048"],
    "p224": ["EC", "-pkeyopt", f"{CURVE}P-224"],
    "p521": ["EC", "-pkeyopt", f"{CURVE}P-521"],
    "secp256k1": ["EC", "-pkeyopt", f"{CURVE}secp256k1"],
    "ed25519": ["ED25519"],
    "ed448": ["ED448"],
}


def self_signed(folder: Path, key: list[str], extension: str = NAMED) -> Tls:
    tls = Tls(folder / "tls.crt", folder / "tls.key")
    openssl("genpkey", "-algorithm", *key, "-out", str(tls.key))
    request = ("req", "-x509", "-new", "-key", str(tls.key), "-days", "2", "-subj", "/CN=rules")
    openssl(*request, "-addext", extension, "-out", str(tls.certificate))
    return tls


@pytest.mark.parametrize("kind", GOOD_KEYS)
def test_common_types_of_keys_are_accepted(tmp_path: Path, kind: str) -> None:
    tls = self_signed(tmp_path, GOOD_KEYS[kind])
    check_tls(tls)
    check_tls(Tls(tls.certificate, tls.key, tls.certificate))


@pytest.mark.parametrize("extension", ["subjectAltName=IP:::1", "subjectAltName=DNS:*.rules.svc"])
def test_all_forms_of_names_are_accepted(tmp_path: Path, extension: str) -> None:
    check_tls(self_signed(tmp_path, GOOD_KEYS["p256"], extension))


@pytest.mark.parametrize("kind", BAD_KEYS)
def test_unsupported_key_is_rejected_in_one_line(
    tmp_path: Path, kind: str, capfd: pytest.CaptureFixture[str]
) -> None:
    tls = self_signed(tmp_path, BAD_KEYS[kind])
    with pytest.raises(SettingsError, match=f"^TLS: .*{tls.certificate}: .*allowed are {KEY_TYPES}$"):
        check_tls(tls)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("workers", ["1", "2"])
def test_service_with_an_unsupported_key_does_not_start(tmp_path: Path, workers: str) -> None:
    tls = self_signed(tmp_path, BAD_KEYS["ed25519"])
    files = ("--tls-cert", str(tls.certificate), "--tls-key", str(tls.key))
    outcome = run("serve", "--listen", "127.0.0.1:0", "--workers", workers, *files)
    assert error_line(outcome).startswith("set-match: TLS: clients cannot use the certificate in ")
    assert len(outcome.stderr.splitlines()) == 1


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\xff\xfe"])
@pytest.mark.parametrize("which", ["certificate", "key", "authority"])
def test_byte_order_mark_is_rejected(tmp_path: Path, which: str, mark: bytes) -> None:
    tls = self_signed(tmp_path, GOOD_KEYS["p256"])
    files = {"certificate": tls.certificate, "key": tls.key, "authority": tls.certificate}
    marked = tmp_path / "marked.pem"
    marked.write_bytes(mark + files[which].read_bytes())
    files[which] = marked
    with pytest.raises(SettingsError, match=r"^TLS: .*marked\.pem begins with a byte-order mark; save it"):
        check_tls(Tls(files["certificate"], files["key"], files["authority"]))


@pytest.mark.parametrize("kind", ["p384", "rsa2048"])
def test_key_of_another_certificate_is_rejected(tmp_path: Path, kind: str) -> None:
    (tmp_path / "other").mkdir()
    tls, other = self_signed(tmp_path, GOOD_KEYS["p256"]), self_signed(tmp_path / "other", GOOD_KEYS[kind])
    with pytest.raises(SettingsError, match=f"the key in {other.key} does not belong to .*{tls.certificate}"):
        check_tls(Tls(tls.certificate, other.key))


def test_encrypted_key_is_rejected(tmp_path: Path) -> None:
    tls = self_signed(tmp_path, GOOD_KEYS["p256"])
    encrypted = tmp_path / "encrypted.key"
    openssl("ec", "-in", str(tls.key), "-aes256", "-passout", "pass:secret", "-out", str(encrypted))
    with pytest.raises(SettingsError, match=r"encrypted\.key holds no usable key; .* without a password"):
        check_tls(Tls(tls.certificate, encrypted))


@pytest.mark.parametrize(
    ("extension", "text"),
    [
        ("extendedKeyUsage=clientAuth", "unsuitable certificate purpose"),
        ("keyUsage=digitalSignature", "has no subjectAltName with a DNS name or IP"),
    ],
)
def test_certificate_that_no_client_accepts_is_named(tmp_path: Path, extension: str, text: str) -> None:
    tls = self_signed(tmp_path, GOOD_KEYS["p256"], extension)
    with pytest.raises(SettingsError, match=f"{tls.certificate}.*{text}"):
        check_tls(tls)


@pytest.mark.parametrize(
    ("validity", "problem"),
    [
        ({"not_after": datetime.now(UTC) - timedelta(days=1)}, "certificate has expired"),
        ({"not_before": datetime.now(UTC) + timedelta(days=1)}, "certificate is not yet valid"),
    ],
)
def test_certificate_that_is_not_valid_now_is_logged(
    tmp_path: Path, validity: dict[str, datetime], problem: str
) -> None:
    pair = make_certificate(tmp_path, "tls", trustme.CA(), **validity)
    with served("--tls-cert", str(pair.certificate), "--tls-key", str(pair.key)) as serving:
        serving.port()
        (line,) = serving.logged("clients cannot use the TLS certificate now")
    assert (line["level"], line["problem"]) == ("WARNING", problem)
    assert line["certificate"] == str(pair.certificate)
