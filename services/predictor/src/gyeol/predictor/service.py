"""Serving one model: loads it once, checks requests against it, continues and scores texts."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import replace

from gyeol.chassis import logs
from gyeol.chassis.clock import Clock
from gyeol.chassis.errors import GyeolError
from gyeol.chassis.outcomes import told
from gyeol.predictor.domain import Generated, Message, Piece, Prompt, Sampling, Scored
from gyeol.predictor.engine.port import Engine
from gyeol.predictor.errors import LoadError, RequestError, StoppingError
from gyeol.predictor.folder import ModelFolder

_log = logs.get()


class Serving:
    """A model by name.

    Args:
      name: What requests call it.
      folder: Where it lies.
      load: Loads it; called on a thread.
      clock: Says how long loading takes.
      context: Most tokens of a prompt and its answer, as the list of models tells them; None: not known before it is loaded.
    """

    def __init__(
        self, name: str, folder: ModelFolder, load: Callable[[], Engine], clock: Clock, context: int | None = None
    ) -> None:
        self.name = name
        self.folder = folder
        self.context = context
        self.created = int(clock.now().timestamp())
        self.failed = asyncio.Event()
        """Set when it cannot be loaded: there is nothing left to serve."""
        self.failure: Exception | None = None
        self._load = load
        self._clock = clock
        self._engine: Engine | None = None
        self._loading = asyncio.Lock()

    @property
    def loaded(self) -> bool:
        return self._engine is not None

    async def engine(self) -> Engine:
        """The loaded model; the first caller loads it, others wait.

        Raises:
          LoadError: It cannot be loaded.
        """
        async with self._loading:
            if self._engine is None:
                started = self._clock.monotonic()
                try:
                    self._engine = await asyncio.to_thread(self._load)
                except Exception as error:
                    if not isinstance(error, GyeolError):
                        _log.error("model_failed_to_load", model=self.name, exc_info=error)
                    self.failure = error
                    self.failed.set()
                    raise LoadError(f"the model {self.name} cannot be loaded: {told(error)}") from error
                _log.info("model_loaded", model=self.name, seconds=round(self._clock.monotonic() - started, 2))
            return self._engine

    async def chat_prompt(self, messages: Sequence[Message]) -> Prompt:
        engine = await self.engine()
        return Prompt(tuple(await engine.chat_tokens(messages)))

    async def text_prompt(self, given: str | Sequence[int]) -> Prompt:
        """A prompt given as text, or as tokens of this model."""
        engine = await self.engine()
        if isinstance(given, str):
            return Prompt(tuple(await engine.text_tokens(given)), given)
        if unknown := [token for token in given if not 0 <= token < engine.vocabulary]:
            raise RequestError(
                f"prompt: token {unknown[0]} is not in 0..{engine.vocabulary - 1}; use the tokenizer of {self.name}",
                field="prompt",
            )
        return Prompt(tuple(given), await engine.text_of(given))

    async def generate(self, prompt: Prompt, sampling: Sampling, field: str) -> AsyncGenerator[Piece | Generated, None]:
        """Continues a prompt, at most to where the model's context ends.

        Args:
          prompt: The beginning.
          sampling: How.
          field: What the request calls the prompt.

        Raises:
          RequestError: The prompt is empty or leaves no room.
        """
        engine = await self.engine()
        room = self._room(engine, prompt, field, least=1)
        fitted = replace(sampling, max_tokens=min(sampling.max_tokens, room))
        async with contextlib.aclosing(engine.generate(prompt.tokens, fitted)) as said:
            async for one in said:
                yield one

    async def generated(self, pairs: Sequence[tuple[Prompt, Sampling]], field: str) -> list[Generated]:
        """Whole continuations, made together. Where one cannot be made, the others are given up."""
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._whole(prompt, sampling, field)) for prompt, sampling in pairs]
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from None
        return [task.result() for task in tasks]

    async def scored(self, prompts: Sequence[Prompt], alternatives: int, field: str) -> list[Scored]:
        """How likely prompts are.

        Raises:
          RequestError: One is empty or longer than the model's context.
        """
        engine = await self.engine()
        for prompt in prompts:
            self._room(engine, prompt, field, least=0)
        return await engine.score([prompt.tokens for prompt in prompts], alternatives)

    async def _whole(self, prompt: Prompt, sampling: Sampling, field: str) -> Generated:
        async with contextlib.aclosing(self.generate(prompt, replace(sampling, streamed=False), field)) as said:
            async for one in said:
                if isinstance(one, Generated):
                    return one
        raise StoppingError("the engine ended before its answer; send the request again")

    async def close(self) -> None:
        """Ends the engine; what it still works on ends with an error."""
        if self._engine is not None:
            await self._engine.close()

    def _room(self, engine: Engine, prompt: Prompt, field: str, *, least: int) -> int:
        if not prompt.tokens:
            raise RequestError(f"{field} is empty; give at least one token", field=field)
        room = engine.context - len(prompt.tokens)
        if room < least:
            raise RequestError(
                f"{field} has {len(prompt.tokens)} tokens, and {self.name} takes {engine.context} with the answer; "
                "shorten it",
                field=field,
                code="context_length_exceeded",
            )
        return room
