"""The service's settings: each an environment variable and a flag of `set-match serve` (DESIGN section 4)."""

from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Final

DEFAULT_LISTEN: Final = "127.0.0.1:7400"
LOG_LEVELS: Final = ("debug", "info", "warning", "error")
MAX_PORT: Final = 65_535
MAX_WORKERS: Final = 64
MAX_IDLE_MINUTES: Final = 24 * 60
MAX_RANKED_SECONDS: Final = 24 * 3600


class SettingsError(ValueError):
    """A setting is wrong; the message names it and says what is allowed."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen, or whom to ask."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str, setting: str = "listen") -> "Address":
        """Reads `host:port`; port 0 lets the system choose; an IPv6 host stands in brackets.

        Args:
            text: what was set.
            setting: what an error calls it.

        Raises:
            SettingsError: it is not of that form.
        """
        host, _, port = text.rpartition(":")
        if not host or not (port.isascii() and port.isdigit()) or int(port) > MAX_PORT:
            raise SettingsError(f"{setting}: {text!r} is not host:port with a port of 0..{MAX_PORT}")
        if ":" in host and not (host.startswith("[") and host.endswith("]")):
            raise SettingsError(f"{setting}: {text!r} is not host:port: an IPv6 host stands in brackets")
        return cls(host, int(port))

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine reaches it."""
        host = self.host.strip("[]")
        try:
            return host == "localhost" or ip_address(host).is_loopback
        except ValueError:
            return False

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Tls:
    """Files of the server's certificate and key, and of the authority whose clients alone are let in."""

    certificate: Path
    key: Path
    client_authority: Path | None = None

    @classmethod
    def of(cls, certificate: Path | None, key: Path | None, authority: Path | None) -> "Tls | None":
        """TLS as set; None: plain text.

        Raises:
            SettingsError: one of certificate and key is missing.
        """
        if certificate is not None and key is not None:
            return cls(certificate, key, authority)
        if certificate is None and key is None and authority is None:
            return None
        raise SettingsError("TLS: SET_MATCH_TLS_CERT and SET_MATCH_TLS_KEY are needed together")


def _is_sendable(token: str) -> bool:
    """Whether a token fits into a header: the plugin asks for the same."""
    return all("!" <= character <= "~" for character in token)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that `set-match serve` can be told."""

    listen: Address = field(default_factory=lambda: Address.parse(DEFAULT_LISTEN))
    workers: int = 1
    token: str | None = None
    tls: Tls | None = None
    plaintext: bool = False
    """Whether other machines may be served without TLS."""
    allow_seed: bool = False
    idle_minutes: int = 60
    """After how long without any message of a player a match ends; 0: never."""
    ranked_seconds: int = 60
    """How long a game must last for its win to count on the leaderboard."""
    metrics_port: int | None = None
    """Where Prometheus finds `/metrics`, on every interface; None: nowhere."""
    log_level: str = "info"
    drain_seconds: float = 5.0
    """How long running calls may take after SIGTERM."""

    def __post_init__(self) -> None:
        """Refuses a token that no caller can send, and plain text to other machines unless it was asked for.

        Raises:
            SettingsError: so it is.
        """
        if self.token is not None and not _is_sendable(self.token):
            raise SettingsError(
                "token: it holds a character that is not allowed: visible ASCII characters are"
            )
        if self.tls is None and not self.plaintext and not self.listen.is_loopback:
            raise SettingsError(
                f"listen: {self.listen} serves other machines in plain text; set SET_MATCH_TLS_CERT and "
                "SET_MATCH_TLS_KEY, or SET_MATCH_PLAINTEXT=1 where the network is private"
            )
