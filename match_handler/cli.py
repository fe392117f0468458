"""The `set-match` command."""

import logging
import os
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Final, NoReturn

import click

from match_handler.match.replay import RecordError, differences, parse_record
from match_handler.service.auth import read_token
from match_handler.service.config import (
    DEFAULT_LISTEN,
    LOG_LEVELS,
    MAX_IDLE_MINUTES,
    MAX_PORT,
    MAX_RANKED_SECONDS,
    MAX_WORKERS,
    Address,
    Settings,
    SettingsError,
    Tls,
)
from match_handler.service.healthcheck import ClientTls, NotReadyError, require_ready
from match_handler.service.logs import configure_logs
from match_handler.service.workers import serve as serve_with_workers

log = logging.getLogger(__name__)

_PREFIX: Final = "SET_MATCH_"
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_setting = partial(click.option, show_envvar=True)
"""A flag with an environment variable; help and errors show both names."""


def _int_range(low: int, high: int) -> click.IntRange:
    """Return a parameter type for integers in a range; its name shows the range in all error messages."""
    kind = click.IntRange(low, high)
    kind.name = f"whole number of {low}..{high}"
    return kind


def _settings() -> set[str]:
    """Return the environment variables of all commands, because a container sets them for all commands."""
    options = [option for command in main.commands.values() for option in command.params]
    variables = [option.envvar or [] for option in options]
    return {name for names in variables for name in ([names] if isinstance(names, str) else names)}


def _warn_of_unknown_settings(environ: Mapping[str, str]) -> None:
    """Log a warning for each environment variable with the prefix of the settings and an unknown name."""
    allowed = _settings()
    for name in sorted(environ):
        if name.startswith(_PREFIX) and name not in allowed:
            log.warning("unknown setting", extra={"setting": name, "allowed": sorted(allowed)})


def _fail(message: str, status: int) -> NoReturn:
    click.echo(f"set-match: {message}", err=True)
    sys.exit(status)


@click.group()
@click.version_option(package_name="set-match")
def main() -> None:
    """Referee matches of SET for Nakama."""


@main.command()
@_setting(
    "--listen",
    envvar="SET_MATCH_LISTEN",
    default=DEFAULT_LISTEN,
    show_default=True,
    help="Address to listen on, as host:port.",
)
@_setting(
    "--workers",
    envvar="SET_MATCH_WORKERS",
    default=1,
    show_default=True,
    type=_int_range(1, MAX_WORKERS),
    metavar="NUMBER",
    help="Number of server processes; each uses one core.",
)
@_setting(
    "--metrics-port",
    envvar="SET_MATCH_METRICS_PORT",
    type=_int_range(0, MAX_PORT),
    metavar="PORT",
    help="Port of /metrics for Prometheus and of /healthz; without it there is neither.",
)
@_setting("--token", envvar="SET_MATCH_TOKEN", help="Bearer token that callers must send.")
@_setting(
    "--token-file",
    envvar="SET_MATCH_TOKEN_FILE",
    type=click.Path(path_type=Path),
    help="File with the bearer token, instead of --token.",
)
@_setting(
    "--tls-ca",
    envvar="SET_MATCH_TLS_CA",
    type=_FILE,
    help="PEM file of the authority for client certificates.",
)
@_setting("--tls-cert", envvar="SET_MATCH_TLS_CERT", type=_FILE, help="PEM file of the server's certificate.")
@_setting("--tls-key", envvar="SET_MATCH_TLS_KEY", type=_FILE, help="PEM file of the certificate's key.")
@_setting(
    "--plaintext",
    envvar="SET_MATCH_PLAINTEXT",
    is_flag=True,
    help="Allow plain text on an address that other machines can reach.",
)
@_setting(
    "--allow-seed",
    envvar="SET_MATCH_ALLOW_SEED",
    is_flag=True,
    help="Allow the option `seed` in mode ONLINE.",
)
@_setting(
    "--reflection",
    envvar="SET_MATCH_REFLECTION",
    is_flag=True,
    help="Serve gRPC reflection, for tools such as grpcurl. Not for production.",
)
@_setting(
    "--idle-minutes",
    envvar="SET_MATCH_IDLE_MINUTES",
    default=60,
    show_default=True,
    type=_int_range(0, MAX_IDLE_MINUTES),
    metavar="MINUTES",
    help="Minutes without a message from a player after which a match ends; 0: never.",
)
@_setting(
    "--ranked-seconds",
    envvar="SET_MATCH_RANKED_SECONDS",
    default=60,
    show_default=True,
    type=_int_range(0, MAX_RANKED_SECONDS),
    metavar="SECONDS",
    help="Minimum duration of a game, in seconds, for its win to count.",
)
@_setting(
    "--log-level",
    envvar="SET_MATCH_LOG_LEVEL",
    default="info",
    show_default=True,
    type=click.Choice(LOG_LEVELS),
    help="Lowest level of log lines.",
)
def serve(  # noqa: PLR0913, PLR0917
    listen: str,
    workers: int,
    metrics_port: int | None,
    token: str | None,
    token_file: Path | None,
    tls_ca: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    plaintext: bool,  # noqa: FBT001
    allow_seed: bool,  # noqa: FBT001
    reflection: bool,  # noqa: FBT001
    idle_minutes: int,
    ranked_seconds: int,
    log_level: str,
) -> None:
    """Run the rules service until SIGTERM or Ctrl-C, then finish the calls in flight."""
    configure_logs(log_level)
    _warn_of_unknown_settings(os.environ)
    try:
        settings = Settings(
            listen=Address.parse(listen),
            workers=workers,
            metrics_port=metrics_port,
            token=read_token(token, token_file),
            tls=Tls.of(tls_cert, tls_key, tls_ca),
            plaintext=plaintext,
            allow_seed=allow_seed,
            reflection=reflection,
            idle_minutes=idle_minutes,
            ranked_seconds=ranked_seconds,
            log_level=log_level,
        )
        serve_with_workers(settings)
    except SettingsError as error:
        _fail(str(error), 2)


@main.command()
@_setting(
    "--address",
    envvar="SET_MATCH_LISTEN",
    default=DEFAULT_LISTEN,
    show_default=True,
    help="Address of the service, as host:port.",
)
@_setting(
    "--tls-ca",
    envvar=["SET_MATCH_HEALTH_CA", "SET_MATCH_TLS_CA"],
    type=_FILE,
    help="PEM file of the authority for the server's certificate; without it the check uses plain text.",
)
@_setting("--tls-cert", envvar="SET_MATCH_TLS_CERT", type=_FILE, help="PEM file of the client certificate.")
@_setting(
    "--tls-key", envvar="SET_MATCH_TLS_KEY", type=_FILE, help="PEM file of the client certificate's key."
)
@_setting("--tls-name", envvar="SET_MATCH_HEALTH_NAME", help="Name to expect in the server's certificate.")
@click.option(
    "--timeout",
    default=2.0,
    show_default=True,
    type=click.FloatRange(min=0, min_open=True),
    help="Time limit of the check, in seconds.",
)
def healthcheck(  # noqa: PLR0913, PLR0917
    address: str,
    tls_ca: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    tls_name: str | None,
    timeout: float,
) -> None:
    """Check that the rules service is ready; exit with 1 if it is not. Uses the settings of `serve`."""
    try:
        tls = ClientTls.of(tls_ca, tls_cert, tls_key, tls_name)
        target = require_ready(Address.parse(address, "address"), tls, timeout)
    except SettingsError as error:
        _fail(str(error), 2)
    except NotReadyError as error:
        _fail(str(error), 1)
    click.echo(f"{target} is ready")


@main.command()
@click.argument("record", type=_FILE)
def replay(record: Path) -> None:
    """Replay RECORD, a JSON file from the collection set_matches; exit with 1 if the results differ."""
    try:
        recorded = parse_record(record.read_bytes())
        mismatches = differences(recorded)
    except (OSError, RecordError) as error:
        _fail(f"{record}: {error}", 2)
    for line in mismatches:
        click.echo(line)
    if mismatches:
        _fail(f"{record}: the results differ", 1)
    click.echo(f"{record}: {len(recorded.log)} lines replayed, the results agree")
