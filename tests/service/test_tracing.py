"""Traces: spans with the trace id of the caller, enabled with the standard environment variables."""

import json
import subprocess
import sys

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from match_handler.service import tracing
from match_handler.service.config import SettingsError
from match_handler.service.trace_config import tracing_factory
from match_handler.v1 import match_handler_pb2 as pb
from tests.service.processes import error_line, run
from tests.service.served import Shim, serving, stub_at

MATCH = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
PARENT = "00000000000000ff"
HEADER = (("traceparent", f"00-{MATCH}-{PARENT}-01"),)


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    exporter = InMemorySpanExporter()
    monkeypatch.setitem(tracing.EXPORTERS, "console", lambda: exporter)
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "console")
    return exporter


def test_call_is_a_span_in_the_trace_of_its_caller(spans: InMemorySpanExporter) -> None:
    with serving() as running, stub_at(running.port) as stub:
        request = pb.MatchInitRequest(match_id="m1.node1")
        stub.MatchInit(request, metadata=HEADER, timeout=30)

    (span,) = spans.get_finished_spans()
    assert span.context is not None
    assert span.parent is not None
    assert (f"{span.context.trace_id:032x}", f"{span.parent.span_id:016x}") == (MATCH, PARENT)
    assert span.name == "match_handler.v1.MatchHandlerService/MatchInit"
    assert span.attributes == {
        "rpc.system": "grpc",
        "set_match.match_id": "m1.node1",
        "rpc.grpc.status_code": 0,
    }
    assert span.status.is_ok


def test_call_without_trace_starts_one_with_its_error_code(
    spans: InMemorySpanExporter,
) -> None:
    with serving() as running, stub_at(running.port) as stub, pytest.raises(grpc.RpcError):
        Shim(stub).init(b"junk")

    (span,) = spans.get_finished_spans()
    assert span.parent is None
    assert span.attributes is not None
    assert span.attributes["rpc.grpc.status_code"] == grpc.StatusCode.INVALID_ARGUMENT.value[0]
    assert (span.status.is_ok, span.status.description) == (False, "INVALID_ARGUMENT")
    assert span.events == ()


def test_rejected_callers_are_traced_but_not_health_checks(spans: InMemorySpanExporter) -> None:
    settings = {"token": "sesame"}
    with serving(**settings) as running, grpc.insecure_channel(f"127.0.0.1:{running.port}") as channel:
        health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(), timeout=30)
        with stub_at(running.port) as stub, pytest.raises(grpc.RpcError):
            Shim(stub).init()

    (span,) = spans.get_finished_spans()
    assert span.status.description == "UNAUTHENTICATED"


@pytest.mark.parametrize(
    "env",
    [
        {},
        {"OTEL_TRACES_EXPORTER": ""},
        {"OTEL_TRACES_EXPORTER": "none"},
        {"OTEL_TRACES_EXPORTER": "otlp", "OTEL_SDK_DISABLED": "true"},
    ],
)
def test_tracing_is_off_by_default(env: dict[str, str]) -> None:
    assert tracing_factory(env) is None


def test_unknown_exporter_is_reported_in_one_line() -> None:
    outcome = run("serve", "--listen", "127.0.0.1:0", OTEL_TRACES_EXPORTER="jaeger")

    assert error_line(outcome) == (
        "set-match: OTEL_TRACES_EXPORTER is 'jaeger', allowed are none, otlp, console"
    )


def test_missing_extra_is_named_in_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "match_handler.service.tracing")
    monkeypatch.setitem(sys.modules, "opentelemetry.propagate", None)

    with pytest.raises(SettingsError, match="install the extra 'tracing': opentelemetry-sdk"):
        tracing_factory({"OTEL_TRACES_EXPORTER": "otlp"})


def test_tracing_module_is_not_imported_by_default() -> None:
    code = "import json, sys, match_handler.service.server; print(json.dumps(sorted(sys.modules)))"

    outcome = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    loaded = json.loads(outcome.stdout)
    assert "match_handler.service.trace_config" in loaded
    assert "match_handler.service.tracing" not in loaded
