"""TLS settings of `set-match healthcheck`."""

from __future__ import annotations

from pathlib import Path

import pytest

from match_handler.service.config import Address, SettingsError
from match_handler.service.healthcheck import ClientTls, require_ready

HERE = Path("x")


def test_without_settings_the_connection_is_plain_text() -> None:
    assert ClientTls.of(None, None, None, None) is None


def test_with_an_authority_the_connection_uses_tls() -> None:
    assert ClientTls.of(HERE, None, None, "rules") == ClientTls(HERE, None, None, "rules")
    assert ClientTls.of(HERE, HERE, HERE, None) == ClientTls(HERE, HERE, HERE)


@pytest.mark.parametrize(("authority", "certificate", "key"), [(HERE, HERE, None), (None, None, HERE)])
def test_certificate_without_key_is_rejected(
    authority: Path | None, certificate: Path | None, key: Path | None
) -> None:
    with pytest.raises(SettingsError, match="--tls-cert and --tls-key are needed together"):
        ClientTls.of(authority, certificate, key, None)


def test_client_certificate_without_authority_is_rejected() -> None:
    with pytest.raises(SettingsError, match="TLS needs --tls-ca"):
        ClientTls.of(None, HERE, HERE, None)


def test_unreadable_file_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "gone.pem"
    with pytest.raises(SettingsError, match=r"^TLS: .*gone\.pem cannot be read: No such file or directory$"):
        require_ready(Address("127.0.0.1", 1), ClientTls(missing), 0.1)


def test_invalid_authority_file_is_named(tmp_path: Path) -> None:
    junk = tmp_path / "junk.pem"
    junk.write_text("junk")
    with pytest.raises(SettingsError, match=r"^TLS: .*junk\.pem holds no certificate; a PEM file is needed$"):
        require_ready(Address("127.0.0.1", 1), ClientTls(junk), 0.1)
