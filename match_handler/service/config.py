"""Settings of `set-match serve`: each is a flag and an environment variable (DESIGN section 4)."""

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
    """An invalid setting. The message names the setting and the allowed values."""


@dataclass(frozen=True, slots=True)
class Address:
    """A network address to listen on or to connect to."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str, setting: str = "listen") -> "Address":
        """Parse `host:port`. An IPv6 host needs brackets; for port 0 the system chooses a free port.

        Args:
            text: the value of the setting.
            setting: the name of the setting in error messages.

        Raises:
            SettingsError: the text does not have this form.
        """
        host, _, port = text.rpartition(":")
        if not host or not (port.isascii() and port.isdigit()) or int(port) > MAX_PORT:
            raise SettingsError(f"{setting}: {text!r} is not host:port with a port of 0..{MAX_PORT}")
        if ":" in host and not (host.startswith("[") and host.endswith("]")):
            raise SettingsError(f"{setting}: {text!r} is not host:port: an IPv6 host needs brackets")
        return cls(host, int(port))

    @property
    def is_loopback(self) -> bool:
        """Whether the address is only reachable from this machine."""
        host = self.host.strip("[]")
        try:
            return host == "localhost" or ip_address(host).is_loopback
        except ValueError:
            return False

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Tls:
    """PEM files for TLS. With a client authority, only clients with its certificates can connect (mTLS)."""

    certificate: Path
    key: Path
    client_authority: Path | None = None

    @classmethod
    def of(cls, certificate: Path | None, key: Path | None, authority: Path | None) -> "Tls | None":
        """Return the TLS settings; None for plain text.

        Raises:
            SettingsError: the certificate or the key is missing.
        """
        if certificate is not None and key is not None:
            return cls(certificate, key, authority)
        if certificate is None and key is None and authority is None:
            return None
        raise SettingsError("TLS: SET_MATCH_TLS_CERT and SET_MATCH_TLS_KEY are needed together")


def _is_sendable(token: str) -> bool:
    """Whether a token can be sent in a header. The plugin makes the same check."""
    return all("!" <= character <= "~" for character in token)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of `set-match serve`."""

    listen: Address = field(default_factory=lambda: Address.parse(DEFAULT_LISTEN))
    """The address of the gRPC server."""
    workers: int = 1
    """The number of server processes, 1..`MAX_WORKERS`."""
    token: str | None = field(default=None, repr=False)
    """The bearer token that callers must send; None: no authentication."""
    tls: Tls | None = None
    """The TLS files; None: plain text."""
    plaintext: bool = False
    """Whether plain text is allowed on an address that other machines can reach."""
    allow_seed: bool = False
    """Whether the option `seed` is allowed in mode ONLINE."""
    idle_minutes: int = 60
    """Minutes without a message from a player after which a match ends; 0: never."""
    ranked_seconds: int = 60
    """Minimum duration of a game, in seconds, for its win to count on the leaderboard."""
    reflection: bool = False
    """Whether to serve gRPC reflection. Each open stream of it keeps one of the threads for calls."""
    metrics_port: int | None = None
    """The port of `/metrics` and `/healthz` on all interfaces; None: neither."""
    log_level: str = "info"
    """The lowest log level that is written, one of `LOG_LEVELS`."""
    drain_seconds: float = 5.0
    """The time limit for calls in flight after SIGTERM, in seconds."""

    def __post_init__(self) -> None:
        """Validate the token and the use of plain text.

        Raises:
            SettingsError: the token cannot be sent in a header, or the address is reachable from other
                machines and neither TLS nor `plaintext` is set.
        """
        if self.token is not None and not _is_sendable(self.token):
            raise SettingsError("token: only visible ASCII characters are allowed")
        if self.tls is None and not self.plaintext and not self.listen.is_loopback:
            raise SettingsError(
                f"listen: {self.listen} serves other machines in plain text; set SET_MATCH_TLS_CERT and "
                "SET_MATCH_TLS_KEY, or SET_MATCH_PLAINTEXT=1 if the network is private"
            )
