"""The engine over transformers: any causal model of a folder with safetensors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from functools import partial
from typing import Any

import torch
import transformers
from jinja2 import TemplateError
from transformers import AutoModelForCausalLM, AutoTokenizer

from gyeol.predictor.domain import Generated, Message, Piece, Sampling, Scored
from gyeol.predictor.engine.batch import Batch
from gyeol.predictor.engine.row import Row
from gyeol.predictor.engine.sampler import sampler
from gyeol.predictor.engine.score import Text, score
from gyeol.predictor.engine.vocabulary import Vocabulary
from gyeol.predictor.engine.worker import Worker
from gyeol.predictor.errors import RequestError
from gyeol.predictor.folder import ModelFolder
from gyeol.predictor.prompt import rendered
from gyeol.predictor.settings import Settings

_UNKNOWN_CONTEXT = 4096
_LOGIT_BYTES = 8
"""Of one logit: itself and its logarithm of probability, 4 bytes each."""


class TransformerEngine:
    """A model loaded with transformers: 32-bit floats on a processor, 16-bit ones on a GPU.

    Args:
      folder: The model.
      settings: Sizes of batches and queues.
    """

    def __init__(self, folder: ModelFolder, settings: Settings) -> None:
        transformers.utils.logging.disable_progress_bar()
        transformers.utils.logging.set_verbosity_error()
        self._tokenizer = AutoTokenizer.from_pretrained(folder.path, local_files_only=True)
        device, dtype = ("cuda", torch.bfloat16) if torch.cuda.is_available() else ("cpu", torch.float32)
        model: Any = AutoModelForCausalLM.from_pretrained(
            folder.path, dtype=dtype, local_files_only=True, use_safetensors=True
        )
        model.to(device).eval()
        config = model.config.get_text_config()
        own = int(getattr(config, "max_position_embeddings", None) or _UNKNOWN_CONTEXT)
        self.context = min(own, settings.context or own)
        self.vocabulary = int(config.vocab_size)
        self._words = Vocabulary(self._tokenizer.backend_tokenizer, _ends(model, self._tokenizer), self.vocabulary)
        pad = self._tokenizer.pad_token_id
        filler = min(self._words.ends, default=0) if pad is None else int(pad)
        self._worker = Worker(
            Batch(model, self._words, filler),
            lambda texts: score(model, self._words, texts, filler),
            most_rows=settings.batch_rows,
            most_waiting=settings.queue_rows,
            score_tokens=settings.score_bytes // (_LOGIT_BYTES * self.vocabulary),
        )

    async def chat_tokens(self, messages: Sequence[Message]) -> list[int]:
        return self._words.tokens(await rendered(self._template, messages), special=False)

    async def text_tokens(self, text: str) -> list[int]:
        """A text that brings its own beginning-of-text token gets no second one."""
        begin = self._tokenizer.bos_token
        return self._words.tokens(text, special=not (begin and text.startswith(begin)))

    async def text_of(self, tokens: Sequence[int]) -> str:
        return self._words.text(tokens, special=True)

    async def generate(self, tokens: Sequence[int], sampling: Sampling) -> AsyncGenerator[Piece | Generated, None]:
        loop, told = asyncio.get_running_loop(), asyncio.Queue[Piece | Generated | Exception]()
        row = Row(tokens, sampling, sampler(sampling), self._words, partial(_tell, loop, told.put_nowait))
        self._worker.put(row)
        try:
            while True:
                said = await told.get()
                if isinstance(said, Exception):
                    raise said
                yield said
                if isinstance(said, Generated):
                    return
        finally:
            row.cancelled = True

    async def score(self, texts: Sequence[Sequence[int]], alternatives: int) -> list[Scored]:
        loop = asyncio.get_running_loop()
        answers = [loop.create_future() for _ in texts]
        queued = [
            Text(tokens, alternatives, partial(_tell, loop, _settle, answer))
            for tokens, answer in zip(texts, answers, strict=True)
        ]
        self._worker.put(*queued)
        try:
            return list(await asyncio.gather(*answers))
        finally:
            for text in queued:
                text.cancelled = True

    async def close(self) -> None:
        await asyncio.to_thread(self._worker.close)

    async def _template(self, messages: Sequence[Message]) -> str:
        if not self._tokenizer.chat_template:
            raise RequestError(
                "messages: this model has no chat template; send plain text to /completions instead", field="messages"
            )
        turns = [{"role": message.role, "content": message.content} for message in messages]
        try:
            return str(self._tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True))
        except TemplateError as error:
            raise RequestError(f"messages: the model's chat template refuses them: {error}", field="messages") from None


def _ends(model: Any, tokenizer: Any) -> frozenset[int]:
    """Tokens that end a text: those of the generation configuration, and the tokenizer's own."""
    given = model.generation_config.eos_token_id
    known = given if isinstance(given, list) else [given]
    return frozenset(token for token in (*known, tokenizer.eos_token_id) if token is not None)


def _settle(answer: asyncio.Future[Scored], said: Scored | Exception) -> None:
    if answer.done():
        return
    if isinstance(said, Exception):
        answer.set_exception(said)
    else:
        answer.set_result(said)


def _tell(loop: asyncio.AbstractEventLoop, callback: Any, *said: Any) -> None:
    """From the engine's thread to the event loop, which may be gone when the server was killed while it drained."""
    if not loop.is_closed():
        loop.call_soon_threadsafe(callback, *said)
