"""Refuses bodies that are too large, also when they do not say so in advance."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class SizeGuard:
    """Args:
    app: What is guarded.
    limit: Largest body, in bytes.
    """

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self._app = app
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        declared = Headers(scope=scope).get("content-length", "")
        received = int(declared) if declared.isdigit() and int(declared) > self._limit else 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._limit:
                # Raised where the body is read, so that the application answers as to any other error.
                raise HTTPException(
                    413, f"The body has more than {self._limit} bytes. Send less, or raise GATEWAY_BODY_KILOBYTES."
                )
            return message

        await self._app(scope, counted, send)
