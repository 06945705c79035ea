"""The chat client: one per service, for all its endpoints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from gyeol.chassis import logs, metrics
from gyeol.chassis.chat import answer
from gyeol.chassis.chat.budget import Budget
from gyeol.chassis.chat.call import Call, call
from gyeol.chassis.chat.completion import Completion, Said
from gyeol.chassis.chat.endpoint import Endpoint
from gyeol.chassis.chat.line import Line
from gyeol.chassis.clock import Clock, SystemClock
from gyeol.chassis.errors import DeniedError, GyeolError, InvalidError
from gyeol.chassis.outcomes import told
from gyeol.chassis.store import KeyValue

if TYPE_CHECKING:
    from gyeol.chassis.chat.http import Transport

_log = logs.get()


class Chat:
    """Calls models. Keep one for the life of the service, so that what it learns of an endpoint is shared.

    It logs no message and no answer.

    Args:
      cache: Where answers are kept by content; None: every call is paid.
      budget: Where runs reserve; used for calls that name a run.
    """

    def __init__(
        self, *, cache: KeyValue | None = None, budget: Budget | None = None, clock: Clock | None = None
    ) -> None:
        self._cache = cache
        self._budget = budget
        self._clock = clock or SystemClock()
        self._transport: Transport | None = None
        self._lines: dict[tuple[str, str], Line] = {}

    async def complete(
        self,
        endpoint: Endpoint,
        messages: Sequence[Said],
        *,
        sample: int = 0,
        temperature: Decimal | float | None = None,
        max_tokens: int = 1024,
        seed: int | None = None,
        response_format: Mapping[str, Any] | None = None,
        run_id: str | None = None,
        payer: str = "",
    ) -> Completion:
        """Asks a model.

        The first answer to a question is stored and stays the answer.

        Args:
          endpoint: The model to ask.
          messages: What was said so far, in order.
          sample: Tells several answers to the same question apart.
          temperature: None: the endpoint's own.
          max_tokens: Most tokens of the answer.
          seed: Passed on; not every endpoint honours it.
          response_format: As in the OpenAI API, for example `{"type": "json_object"}`.
          run_id: Run whose budget pays; None: nothing is reserved.
          payer: Piece of work that the answer is for. Work that was cut off and is done again by the same payer
            finds the answers it bought, and they still count as bought; empty: every stored answer is a cached one.

        Raises:
          InvalidError: The endpoint refuses the request, or does not know the model.
          DeniedError: The key is wrong; names the endpoint and the environment variable.
          NotReadyError: Down, too slow, overloaded or not understood; `retry_after` may say when to come back.
          ExhaustedError: The run's budget or the endpoint's account does not allow the call.
        """
        wanted = call(
            endpoint,
            messages,
            sample=sample,
            temperature=temperature,
            max_tokens=max_tokens,
            seed=seed,
            response_format=response_format,
        )
        if self._cache is not None and (known := await self._cache.get(wanted.key)) is not None:
            self._count(endpoint, "cached")
            return answer.stored(known, endpoint, payer)
        if run_id is not None and self._budget is not None:
            tokens = wanted.prompt_tokens + max_tokens
            await self._budget.reserve(run_id, wanted.key, tokens, wanted.most_money)
        try:
            answered = await self._send(wanted)
        except (InvalidError, DeniedError) as error:
            self._count(endpoint, error.meaning.value)
            await self._settle(run_id, wanted, 0, Decimal(0))
            raise
        except GyeolError as error:  # the reservation stays: the call comes back under the same id, or was paid
            self._count(endpoint, error.meaning.value)
            raise
        self._count(endpoint, "answered")
        answered = await self._keep(wanted, answered, payer)
        await self._settle(run_id, wanted, answered.usage.tokens, answered.usage.cost)
        return answered

    async def close(self) -> None:
        """Closes the connections."""
        if self._transport is not None:
            await self._transport.close()
            self._transport = None

    async def _send(self, wanted: Call) -> Completion:
        if self._transport is None:
            from gyeol.chassis.chat.http import Transport

            self._transport = Transport()
        place = (wanted.endpoint.name, wanted.endpoint.base_url)
        if place not in self._lines:
            self._lines[place] = Line(wanted.endpoint, self._clock)
        return await self._lines[place].send(wanted, self._transport.post)

    async def _keep(self, wanted: Call, answered: Completion, payer: str) -> Completion:
        """Stores the answer. Who was first wins; what this call cost was paid in either case."""
        if self._cache is None:
            return answered
        try:
            kept = await self._cache.create(wanted.key, answer.kept(answered, payer))
            first = answer.stored(kept, wanted.endpoint)
        except GyeolError as error:
            _log.warning("answer_not_stored", endpoint=wanted.endpoint.name, error=told(error))
            return answered
        return replace(answered, text=first.text, finish_reason=first.finish_reason)

    async def _settle(self, run_id: str | None, wanted: Call, tokens: int, money: Decimal | None) -> None:
        if run_id is None or self._budget is None:
            return
        try:
            await self._budget.settle(run_id, wanted.key, tokens, money)
        except Exception as error:  # the answer is there; the reservation stands for its price
            _log.warning("budget_not_settled", endpoint=wanted.endpoint.name, error=told(error))

    def _count(self, endpoint: Endpoint, outcome: str) -> None:
        metrics.MODEL_CALLS.labels(endpoint.name, outcome).inc()
