"""Where finished spans go. Loaded only when traces are on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SimpleSpanProcessor
from opentelemetry.sdk.trace.sampling import ParentBasedTraceIdRatio

if TYPE_CHECKING:
    from gyeol.chassis.settings import ServiceSettings


def provider(settings: ServiceSettings, service: str) -> TracerProvider:
    """The tracer provider that the settings ask for."""
    made = TracerProvider(
        resource=Resource.create({"service.name": f"gyeol-{service}"}),
        sampler=ParentBasedTraceIdRatio(settings.trace_ratio),
    )
    if settings.trace_file is not None:
        settings.trace_file.parent.mkdir(parents=True, exist_ok=True)
        file = settings.trace_file.open("a", encoding="utf-8", buffering=1)
        exporter = ConsoleSpanExporter(out=file, formatter=lambda span: span.to_json(indent=None) + "\n")
        made.add_span_processor(SimpleSpanProcessor(exporter))
    if settings.otlp_endpoint is not None:
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

        insecure = not settings.otlp_endpoint.startswith("https://")
        made.add_span_processor(
            BatchSpanProcessor(OTLPSpanExporter(endpoint=settings.otlp_endpoint, insecure=insecure))
        )
    return made
