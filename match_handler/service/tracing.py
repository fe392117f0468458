"""Traces for OpenTelemetry: one span for each call, in the trace that the caller names (W3C Trace Context).

An optional extra (`pip install '.[tracing]'`) that the standard variables set up: OTEL_TRACES_EXPORTER
turns it on; OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SERVICE_NAME, OTEL_TRACES_SAMPLER and the others mean what they
mean everywhere.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import grpc
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.propagate import extract
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SpanExporter
from opentelemetry.trace import Span, SpanKind, Status, StatusCode

from match_handler.service.auth import HEALTH_PREFIX

if TYPE_CHECKING:
    _Handler = grpc.RpcMethodHandler[Any, Any]
    _Unary = Callable[[Any, grpc.ServicerContext], Any]

EXPORTERS: Final[Mapping[str, Callable[[], SpanExporter]]] = {
    "otlp": OTLPSpanExporter,
    "console": ConsoleSpanExporter,
}
"""What OTEL_TRACES_EXPORTER may name."""

MATCH: Final = "set_match.match_id"
CODE: Final = "rpc.grpc.status_code"


class Tracing(grpc.ServerInterceptor):
    """Makes a span of every call but health checks.

    Args:
        exporter: who takes the spans.
    """

    def __init__(self, exporter: SpanExporter) -> None:
        self._provider = TracerProvider(shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("match_handler")

    def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], "_Handler | None"],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "_Handler | None":
        """Stands around the handler of a unary call."""
        handler = continuation(handler_call_details)
        method = handler_call_details.method
        if handler is None or handler.unary_unary is None or method.startswith(HEALTH_PREFIX):
            return handler
        return grpc.unary_unary_rpc_method_handler(
            self._spanned(method.removeprefix("/"), handler.unary_unary),
            handler.request_deserializer,
            handler.response_serializer,
        )

    def close(self) -> None:
        """Hands over what has not been exported yet."""
        self._provider.shutdown()

    def _spanned(self, name: str, behavior: "_Unary") -> "_Unary":
        def call(request: Any, context: grpc.ServicerContext) -> Any:  # noqa: ANN401 - any method's messages
            parent = extract({key: str(value) for key, value in context.invocation_metadata() or ()})
            match = {MATCH: getattr(request, "match_id", "")}
            with self._tracer.start_as_current_span(
                name,
                parent,
                SpanKind.SERVER,
                {"rpc.system": "grpc", **match},
                record_exception=False,
                set_status_on_exception=False,
            ) as span:
                try:
                    return behavior(request, context)
                finally:
                    _note_code(span, context)

        return call


def _note_code(span: Span, context: grpc.ServicerContext) -> None:
    code: grpc.StatusCode = context.code() or grpc.StatusCode.OK  # type: ignore[attr-defined]
    span.set_attribute(CODE, code.value[0])
    if code is not grpc.StatusCode.OK:
        span.set_status(Status(StatusCode.ERROR, code.name))
