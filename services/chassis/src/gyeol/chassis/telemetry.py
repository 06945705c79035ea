"""One trace follows a record through gRPC, NATS headers and HTTP.

The OpenTelemetry SDK costs memory and start time, so it is loaded only when a setting asks for traces.
Without it the trace context of an incoming message still travels on to what is published because of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from gyeol.chassis.settings import ServiceSettings

_KEYS: Final = ("traceparent", "tracestate")
_carried: ContextVar[dict[str, str] | None] = ContextVar("gyeol_trace_context", default=None)
_tracer: Any = None
_provider: Any = None


def on() -> bool:
    """Whether spans are recorded in this process."""
    return _tracer is not None


def configure(settings: ServiceSettings, service: str) -> None:
    """Starts to record spans when a trace file or an OTLP endpoint is set. Do it before any channel is opened."""
    global _tracer, _provider
    if settings.otlp_endpoint is None and settings.trace_file is None:
        return
    from opentelemetry import trace

    from gyeol.chassis import spans

    _provider = spans.provider(settings, service)
    trace.set_tracer_provider(_provider)
    _tracer = _provider.get_tracer("gyeol.chassis")


def shutdown() -> None:
    """Sends what was recorded and stops recording."""
    global _tracer, _provider
    if _provider is not None:
        _provider.shutdown()
    _tracer = _provider = None


def inject(headers: dict[str, str]) -> dict[str, str]:
    """Adds the current trace context to headers and returns them."""
    if _tracer is not None:
        from opentelemetry import propagate

        propagate.inject(headers)
    elif carried := _carried.get():
        headers.update(carried)
    return headers


@contextmanager
def span(name: str, headers: Mapping[str, str] | None = None, **attributes: str | int) -> Iterator[None]:
    """Works inside the trace that the headers carry, as a span of its own when spans are recorded."""
    if _tracer is None:
        context = {key: headers[key] for key in _KEYS if key in headers} if headers else None
        token = _carried.set(context)
        try:
            yield
        finally:
            _carried.reset(token)
        return
    from opentelemetry import propagate

    parent = propagate.extract(headers) if headers else None
    # What an exception says may quote a record: a span keeps its kind only.
    with _tracer.start_as_current_span(
        name, context=parent, attributes=attributes, record_exception=False, set_status_on_exception=False
    ) as current:
        try:
            yield
        except BaseException as error:
            current.set_attribute("error.type", type(error).__name__)
            raise
