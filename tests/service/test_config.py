"""Valid settings, and the one-line errors of invalid ones."""

from pathlib import Path

import pytest

from match_handler.service.config import Address, Settings, SettingsError, Tls


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("127.0.0.1:7400", "127.0.0.1", 7400),
        ("localhost:0", "localhost", 0),
        ("[::1]:65535", "[::1]", 65_535),
        ("0.0.0.0:1", "0.0.0.0", 1),  # noqa: S104 - an address to parse
    ],
)
def test_address_is_host_and_port(text: str, host: str, port: int) -> None:
    assert Address.parse(text) == Address(host, port)
    assert str(Address.parse(text)) == text


@pytest.mark.parametrize(
    "text", ["", ":", "7400", "host", "host:", ":7400", "host:x", "host:-1", "host:65536", "host:\u0663"]
)
def test_invalid_address_is_rejected_in_one_line(text: str) -> None:
    with pytest.raises(SettingsError) as raised:
        Address.parse(text)
    assert str(raised.value) == f"listen: {text!r} is not host:port with a port of 0..65535"


@pytest.mark.parametrize("text", ["::1:7400", "[::1:7400", "::1]:7400"])
def test_ipv6_host_needs_brackets(text: str) -> None:
    with pytest.raises(SettingsError) as raised:
        Address.parse(text)
    assert str(raised.value) == f"listen: {text!r} is not host:port: an IPv6 host needs brackets"


@pytest.mark.parametrize("token", ["open sesame", "sesame\n", "s\u00e9same", "\x7f"])
def test_unusable_token_is_rejected_and_not_repeated(token: str) -> None:
    with pytest.raises(SettingsError, match=r"^token: only visible ASCII characters are allowed") as raised:
        Settings(token=token)
    assert token not in str(raised.value)
    assert Settings(token="".join(map(chr, range(0x21, 0x7F)))).token is not None


def test_tls_needs_certificate_and_key_together() -> None:
    here = Path("x")
    assert Tls.of(None, None, None) is None
    assert Tls.of(here, here, None) == Tls(here, here)
    assert Tls.of(here, here, here) == Tls(here, here, here)
    for certificate, key, authority in ((here, None, None), (None, here, None), (None, None, here)):
        with pytest.raises(SettingsError, match=r"^TLS: SET_MATCH_TLS_CERT and SET_MATCH_TLS_KEY are needed"):
            Tls.of(certificate, key, authority)


def test_plain_text_on_other_interfaces_needs_a_setting() -> None:
    everywhere = Address("0.0.0.0", 7400)  # noqa: S104 - an address to reject
    with pytest.raises(SettingsError, match=r"^listen: 0\.0\.0\.0:7400 serves other machines in plain text"):
        Settings(listen=everywhere)
    assert Settings(listen=everywhere, plaintext=True).plaintext
    assert Settings(listen=everywhere, tls=Tls(Path("c"), Path("k"))).tls is not None
    with pytest.raises(SettingsError, match="plain text"):
        Settings(listen=Address("set.example", 1))
    for host in ("127.0.0.1", "[::1]", "localhost", "127.9.9.9"):
        assert Settings(listen=Address(host, 1)).listen.host == host
