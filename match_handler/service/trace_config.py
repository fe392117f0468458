"""Whether calls are traced: OTEL_TRACES_EXPORTER decides; without it nothing of OpenTelemetry is needed."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Final

from match_handler.service.config import SettingsError

if TYPE_CHECKING:
    from match_handler.service.tracing import Tracing

VARIABLE: Final = "OTEL_TRACES_EXPORTER"


def tracing_of(env: Mapping[str, str]) -> "Callable[[], Tracing] | None":
    """What makes the tracing that the environment asks for; None: it asks for none.

    Raises:
        SettingsError: it names an exporter that is not there, or the extra is not installed.
    """
    wanted = env.get(VARIABLE) or "none"
    if wanted == "none" or env.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return None
    try:
        module = import_module("match_handler.service.tracing")
    except ModuleNotFoundError as error:
        raise SettingsError(
            f"{VARIABLE} is {wanted!r}, but {error.name} is not installed; the extra 'tracing' has it: "
            "opentelemetry-sdk and opentelemetry-exporter-otlp-proto-grpc"
        ) from error
    exporter = module.EXPORTERS.get(wanted)
    if exporter is None:
        allowed = ", ".join(["none", *module.EXPORTERS])
        raise SettingsError(f"{VARIABLE} is {wanted!r}, allowed are {allowed}")

    def begin() -> "Tracing":
        tracing: Tracing = module.Tracing(exporter())
        return tracing

    return begin
