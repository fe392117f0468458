"""Switch for tracing (OTEL_TRACES_EXPORTER). OpenTelemetry is imported only if tracing is on."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Final

from match_handler.service.config import SettingsError

if TYPE_CHECKING:
    from match_handler.service.tracing import Tracing

VARIABLE: Final = "OTEL_TRACES_EXPORTER"


def tracing_factory(env: Mapping[str, str]) -> "Callable[[], Tracing] | None":
    """Return a function that starts tracing as the environment variables specify; None if tracing is off.

    Raises:
        SettingsError: the exporter is unknown, or the extra `tracing` is not installed.
    """
    name = env.get(VARIABLE) or "none"
    if name == "none" or env.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return None
    try:
        module = import_module("match_handler.service.tracing")
    except ModuleNotFoundError as error:
        raise SettingsError(
            f"{VARIABLE} is {name!r}, but {error.name} is not installed; install the extra 'tracing': "
            "opentelemetry-sdk and opentelemetry-exporter-otlp-proto-grpc"
        ) from error
    exporter = module.EXPORTERS.get(name)
    if exporter is None:
        allowed = ", ".join(["none", *module.EXPORTERS])
        raise SettingsError(f"{VARIABLE} is {name!r}, allowed are {allowed}")

    def start_tracing() -> "Tracing":
        tracing: Tracing = module.Tracing(exporter())
        return tracing

    return start_tracing
