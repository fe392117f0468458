"""OpenTelemetry traces: one span per call, as a child of the caller's span (W3C Trace Context).

Tracing is an optional extra (`pip install '.[tracing]'`). OTEL_TRACES_EXPORTER turns it on. The other
standard variables, such as OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_TRACES_SAMPLER, configure it.
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
"""The allowed values of OTEL_TRACES_EXPORTER, apart from `none`."""

MATCH: Final = "set_match.match_id"
CODE: Final = "rpc.grpc.status_code"


class Tracing(grpc.ServerInterceptor):
    """Interceptor that records a span for every call except health checks.

    Args:
        exporter: the exporter of the spans.
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
        """Return the handler of the call, wrapped in a span if the call is unary."""
        handler = continuation(handler_call_details)
        method = handler_call_details.method
        if handler is None or handler.unary_unary is None or method.startswith(HEALTH_PREFIX):
            return handler
        return grpc.unary_unary_rpc_method_handler(
            self._with_span(method.removeprefix("/"), handler.unary_unary),
            handler.request_deserializer,
            handler.response_serializer,
        )

    def close(self) -> None:
        """Flush the spans and stop the exporter."""
        self._provider.shutdown()

    def _with_span(self, name: str, behavior: "_Unary") -> "_Unary":
        def call(request: Any, context: grpc.ServicerContext) -> Any:  # noqa: ANN401 - any method's messages
            parent = extract({key: str(value) for key, value in context.invocation_metadata() or ()})
            with self._tracer.start_as_current_span(
                name,
                parent,
                SpanKind.SERVER,
                {"rpc.system": "grpc", MATCH: getattr(request, "match_id", "")},
                record_exception=False,
                set_status_on_exception=False,
            ) as span:
                try:
                    return behavior(request, context)
                finally:
                    _record_status(span, context)

        return call


def _record_status(span: Span, context: grpc.ServicerContext) -> None:
    code: grpc.StatusCode = context.code() or grpc.StatusCode.OK  # type: ignore[attr-defined]
    span.set_attribute(CODE, code.value[0])
    if code is not grpc.StatusCode.OK:
        span.set_status(Status(StatusCode.ERROR, code.name))
