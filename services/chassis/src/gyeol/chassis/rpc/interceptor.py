"""What happens around every call: an error becomes its status, a call is counted, a stream ends when the server does."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final

import grpc
import grpc.aio

from gyeol.chassis import logs, metrics
from gyeol.chassis.errors import GyeolError, Meaning, NotReadyError
from gyeol.chassis.outcomes import TABLE, meaning_of, told

_log = logs.get()
_DETAIL_BYTES: Final = 1000
"""The detail travels percent-encoded in a header, and all headers together may have 8 KiB."""
_STREAM_PAUSE: Final = 1.0

Unary = Callable[[Any, Any], Awaitable[Any]]
Stream = Callable[[Any, Any], AsyncIterator[Any]]


class OutcomeInterceptor(grpc.aio.ServerInterceptor):
    """Gives each call the status that the table of outcomes has for its error.

    Args:
      stopping: Set when the server stops.
    """

    def __init__(self, stopping: asyncio.Event) -> None:
        self._stopping = stopping

    async def intercept_service(self, continuation: Any, handler_call_details: grpc.HandlerCallDetails) -> Any:
        handler = await continuation(handler_call_details)
        method = handler_call_details.method
        if handler is None or method.startswith("/grpc."):
            return handler
        if handler.unary_unary:
            return grpc.unary_unary_rpc_method_handler(
                _answering(method, handler.unary_unary), handler.request_deserializer, handler.response_serializer
            )
        if inspect.isasyncgenfunction(handler.unary_stream):
            return grpc.unary_stream_rpc_method_handler(
                _streaming(method, handler.unary_stream, self._stopping),
                handler.request_deserializer,
                handler.response_serializer,
            )
        raise TypeError(f"{method}: the chassis knows unary calls and async generators")


def _answering(method: str, behaviour: Unary) -> Unary:
    answered = metrics.CALLS.labels(method, "OK")

    async def answer(request: Any, context: Any) -> Any:
        try:
            response = await behaviour(request, context)
        except grpc.aio.AbortError:
            raise
        except Exception as error:
            await _abort(method, context, error)
        answered.inc()
        return response

    return answer


def _streaming(method: str, behaviour: Stream, stopping: asyncio.Event) -> Stream:
    answered = metrics.CALLS.labels(method, "OK")

    async def stream(request: Any, context: Any) -> AsyncIterator[Any]:
        stopped = asyncio.ensure_future(stopping.wait())
        try:
            async for response in _until(stopped, behaviour(request, context)):
                yield response
        except (GeneratorExit, grpc.aio.AbortError):
            raise
        except Exception as error:
            await _abort(method, context, error)
        finally:
            stopped.cancel()
        answered.inc()

    return stream


async def _until(stopped: asyncio.Future[Any], responses: AsyncIterator[Any]) -> AsyncIterator[Any]:
    """The responses, until the server stops and no further one is at hand: an endless stream would hold the drain."""
    while True:
        step = asyncio.ensure_future(_following(responses))
        try:
            await asyncio.wait((step, stopped), return_when=asyncio.FIRST_COMPLETED)
            if not step.done():
                await asyncio.wait((step,), timeout=_STREAM_PAUSE)
            if not step.done():
                raise NotReadyError("the service stops: call again")
        finally:
            if not step.done():
                step.cancel()
        if (found := step.result()) is None:
            return
        yield found[0]


async def _following(responses: AsyncIterator[Any]) -> tuple[Any] | None:
    try:
        return (await anext(responses),)
    except StopAsyncIteration:
        return None


async def _abort(method: str, context: Any, error: Exception) -> None:
    meaning = meaning_of(error)
    status = TABLE[meaning].status
    metrics.CALLS.labels(method, status.name).inc()
    if meaning is Meaning.INTERNAL and not isinstance(error, GyeolError):
        _log.error("call_failed", method=method, exc_info=error)
    detail = told(error).encode()[:_DETAIL_BYTES].decode(errors="ignore")
    await context.abort(status, detail)
