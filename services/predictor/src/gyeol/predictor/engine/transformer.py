"""The engine over transformers: any model of a folder with safetensors, in 32-bit floats on a processor."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from concurrent.futures import Future
from typing import Any

import torch
import transformers
from transformers import AutoModelForCausalLM, AutoTokenizer

from gyeol.predictor.domain import Generated, Message, Piece, Sampling, Scored
from gyeol.predictor.engine.generation import generate
from gyeol.predictor.engine.row import Row
from gyeol.predictor.engine.scoring import by_length, scored
from gyeol.predictor.engine.token import TokenTexts
from gyeol.predictor.engine.worker import Scoring, Worker
from gyeol.predictor.folder import ModelFolder, verify
from gyeol.predictor.prompt import rendered
from gyeol.predictor.settings import Settings

_UNKNOWN_CONTEXT = 4096


class TransformerEngine:
    """A model loaded with transformers.

    Args:
      folder: The model.
      settings: Sizes of batches.
    """

    def __init__(self, folder: ModelFolder, settings: Settings) -> None:
        if settings.verify:
            verify(folder)
        transformers.utils.logging.disable_progress_bar()
        self._tokenizer = AutoTokenizer.from_pretrained(folder.path, local_files_only=True)
        on_gpu = torch.cuda.is_available()
        self._model = AutoModelForCausalLM.from_pretrained(
            folder.path, dtype=torch.bfloat16 if on_gpu else torch.float32, local_files_only=True
        ).eval()
        if on_gpu:
            self._model.to("cuda")
        self._backend = self._tokenizer.backend_tokenizer
        self._backend.no_truncation()
        self._backend.no_padding()
        self._texts = TokenTexts(self._backend)
        self._ends = _ends(self._model, self._tokenizer)
        self._model.generation_config = transformers.GenerationConfig()
        """What a model's authors like by default (a repetition penalty, say) is not what a request asked for."""
        self._pad = int(self._tokenizer.pad_token_id or min(self._ends, default=0))
        self.vocabulary = int(self._model.config.get_text_config().vocab_size)
        self._score_tokens = max(1, settings.score_bytes // (8 * self.vocabulary))
        self.context = int(getattr(self._model.config.get_text_config(), "max_position_embeddings", _UNKNOWN_CONTEXT))
        self._worker = Worker(
            self._generate,
            self._score,
            rows=settings.batch_rows,
            window=settings.batch_window_ms / 1000,
            waiting=settings.queue_rows,
        )

    def chat_tokens(self, messages: Sequence[Message]) -> list[int]:
        return self._encoded(rendered(self._tokenizer, messages), special=False)

    def text_tokens(self, text: str) -> list[int]:
        bos = self._tokenizer.bos_token
        return self._encoded(text, special=not (bos and text.startswith(bos)))

    def text_of(self, tokens: Sequence[int]) -> str:
        return str(self._backend.decode(list(tokens), skip_special_tokens=False))

    async def generate(self, tokens: Sequence[int], sampling: Sampling) -> AsyncGenerator[Piece | Generated, None]:
        loop, told = asyncio.get_running_loop(), asyncio.Queue[Piece | Generated | Exception]()
        row = Row(tokens, sampling, lambda said: _tell(loop, told, said))
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
        answer: Future[list[Scored]] = Future()
        self._worker.put(Scoring(texts, alternatives, answer))
        return await asyncio.wrap_future(answer)

    def close(self) -> None:
        self._worker.close()

    def _encoded(self, text: str, *, special: bool) -> list[int]:
        return list(self._backend.encode(text, add_special_tokens=special).ids)

    def _generate(self, rows: Sequence[Row]) -> None:
        generate(self._model, self._backend, self._texts, rows, self._ends, self._pad)

    def _score(self, scorings: Sequence[Scoring]) -> None:
        texts = [(tokens, scoring.alternatives) for scoring in scorings for tokens in scoring.texts]
        found: list[Scored | None] = [None] * len(texts)
        for places in by_length([len(tokens) for tokens, _ in texts], self._score_tokens):
            most = max(texts[place][1] for place in places)
            batch = scored(self._model, self._texts, [texts[place][0] for place in places], most, self._pad)
            for place, one in zip(places, batch, strict=True):
                found[place] = one
        results = iter(found)
        for scoring in scorings:
            scoring.answer.set_result([one for _, one in zip(scoring.texts, results, strict=False) if one])


def _ends(model: Any, tokenizer: Any) -> frozenset[int]:
    """Tokens that end a text: those of the generation configuration, and the tokenizer's own."""
    given = model.generation_config.eos_token_id
    known = given if isinstance(given, list) else [given]
    return frozenset(token for token in (*known, tokenizer.eos_token_id) if token is not None)


def _tell(loop: asyncio.AbstractEventLoop, told: asyncio.Queue[Any], said: Piece | Generated | Exception) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(told.put_nowait, said)
