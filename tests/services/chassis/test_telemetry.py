import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import grpc.aio
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import (
    TraceServiceServicer,
    add_TraceServiceServicer_to_server,
)

from gyeol.chassis import telemetry
from gyeol.chassis.chat import Chat, Endpoint, Message
from support.openai_stub import openai_stub

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

PROGRAM = """
import sys
from pathlib import Path
from gyeol.chassis import telemetry
from gyeol.chassis.settings import ServiceSettings
telemetry.configure(ServiceSettings(**dict(pair.split("=", 1) for pair in sys.argv[1:])), "judge")
try:
    with telemetry.span("judge candidates", {"traceparent": "TRACE"}, run_id="run-1"):
        print(telemetry.inject({})["traceparent"])
        raise ValueError("harmful text")
except ValueError:
    pass
telemetry.shutdown()
""".replace("TRACE", TRACE)


def record(*settings: str) -> str:
    """Records one span in a process of its own; returns the trace context that it passed on."""
    done = subprocess.run([sys.executable, "-c", PROGRAM, *settings], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_without_settings_a_trace_is_passed_on_as_it_came() -> None:
    assert not telemetry.on()
    assert record() == TRACE
    with telemetry.span("outer", {"traceparent": TRACE}):
        with telemetry.span("inner"):
            assert telemetry.inject({}) == {}
        assert telemetry.inject({}) == {"traceparent": TRACE}
    assert telemetry.inject({"a": "b"}) == {"a": "b"}


def test_a_span_in_the_file_belongs_to_the_trace_and_does_not_quote_the_record(tmp_path: Path) -> None:
    file = tmp_path / "traces" / "judge.jsonl"
    passed_on = record(f"trace_file={file}")
    [span] = [json.loads(line) for line in file.read_text().splitlines()]
    assert span["name"] == "judge candidates"
    assert span["context"]["trace_id"] == f"0x{TRACE.split('-')[1]}"
    assert span["parent_id"] == f"0x{TRACE.split('-')[2]}"
    assert span["attributes"] == {"run_id": "run-1", "error.type": "ValueError"}
    assert span["resource"]["attributes"]["service.name"] == "gyeol-judge"
    assert passed_on.split("-")[1:3] == [TRACE.split("-")[1], span["context"]["span_id"].removeprefix("0x")]
    assert "harmful" not in file.read_text()


class Collector(TraceServiceServicer):
    def __init__(self) -> None:
        self.names: list[str] = []

    async def Export(self, request: Any, context: Any) -> ExportTraceServiceResponse:  # noqa: N802
        for resource in request.resource_spans:
            self.names += [span.name for scope in resource.scope_spans for span in scope.spans]
        return ExportTraceServiceResponse()


async def test_spans_reach_a_collector() -> None:
    collector, server = Collector(), grpc.aio.server()
    add_TraceServiceServicer_to_server(collector, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    await asyncio.to_thread(record, f"otlp_endpoint=http://127.0.0.1:{port}")
    await server.stop(None)
    assert collector.names == ["judge candidates"]


async def test_a_trace_reaches_the_model_endpoint() -> None:
    chat = Chat()
    async with openai_stub() as stub:
        with telemetry.span("judge", {"traceparent": TRACE}):
            await chat.complete(Endpoint(name="a", base_url=stub.url, model="m"), [Message("user", "안녕하세요")])
        assert stub.headers[0]["traceparent"] == TRACE
    await chat.close()


def test_a_service_loads_only_what_it_needs() -> None:
    code = """
import gyeol.chassis.run, gyeol.chassis.chat, sys
heavy = {"aiohttp", "rich", "opentelemetry.sdk", "opentelemetry.instrumentation", "yaml"}
print(sorted(heavy & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
