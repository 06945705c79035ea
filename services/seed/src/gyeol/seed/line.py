"""The line to a model that one request of seeds asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gyeol.chassis.chat import Chat, Completion, Endpoint, Message
from gyeol.seed.reply import ReplyFormat, response_format
from gyeol.seed.service import Calls


@dataclass(frozen=True)
class Line:
    """One model, asked for one request."""

    chat: Chat
    endpoint: Endpoint
    run_id: str | None
    """Run whose budget pays; None: nothing is reserved."""
    payer: str
    """Names the request: an attempt that was cut off bought for the same payer."""
    calls: Calls
    reply_format: ReplyFormat
    max_tokens: int

    async def ask(
        self, system: str, user: str, name: str, schema: Mapping[str, Any], *, sample: int = 0, cold: bool = False
    ) -> Completion:
        """Asks for one JSON object.

        Args:
          system: What the model is to do.
          user: What it is to do it with.
          name: Name of the schema.
          schema: Properties of the object.
          sample: Tells several replies to the same question apart.
          cold: Whether the temperature is 0 instead of the endpoint's own.
        """
        completion = await self.chat.complete(
            self.endpoint,
            [Message("system", system), Message("user", user)],
            sample=sample,
            temperature=0 if cold and not sample else None,
            max_tokens=self.max_tokens,
            response_format=response_format(self.reply_format, name, schema),
            run_id=self.run_id,
            payer=self.payer,
        )
        self.calls.count(cached=completion.cached)
        return completion
