from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from gyeol.predictor.domain import Finish, Generated, Message, Piece, Sampling
from gyeol.predictor.errors import RequestError
from gyeol.predictor.folder import model_folder
from gyeol.predictor.settings import Settings
from support import tiny_gguf, tiny_model

pytest.importorskip("xllamacpp")
pytest.importorskip("gguf")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """One model in both forms."""
    model, place = tiny_model.fluent(), tmp_path_factory.mktemp("fluent")
    return tiny_gguf.write(place / "gguf", model), tiny_model.write(place / "safetensors", model)


@pytest_asyncio.fixture
async def llama(folders: tuple[Path, Path]) -> AsyncIterator[Any]:
    from gyeol.predictor.engine.llama import LlamaEngine

    folder = model_folder(folders[0])
    assert folder.kind == "llama"
    loaded = LlamaEngine(folder, Settings(batch_rows=4))
    yield loaded
    await loaded.close()


async def heard(engine: Any, text: str, sampling: Sampling) -> tuple[list[Piece], Generated]:
    pieces: list[Piece] = []
    tokens = await engine.text_tokens(text)
    async with contextlib.aclosing(engine.generate(tokens, sampling)) as generating:
        async for said in generating:
            if isinstance(said, Generated):
                return pieces, said
            pieces.append(said)
    raise AssertionError("no answer")


async def test_both_engines_read_and_continue_texts_alike(llama: Any, folders: tuple[Path, Path]) -> None:
    from gyeol.predictor.engine.transformer import TransformerEngine

    engine = TransformerEngine(model_folder(folders[1]), Settings())
    turns: Sequence[Message] = [Message("system", "짧게."), Message("user", "대한민국의 수도는?")]
    try:
        assert await llama.chat_tokens(turns) == await engine.chat_tokens(turns)
        assert (llama.context, llama.vocabulary) == (engine.context, engine.vocabulary)
        for begun, sampling in (
            ("대한민국의 수도는", Sampling(40, temperature=0)),
            ("안녕하세요,", Sampling(9, temperature=0)),
            ("정답은", Sampling(40, temperature=0, stop=("주민",))),
        ):
            (_, one), (_, other) = await heard(llama, begun, sampling), await heard(engine, begun, sampling)
            assert (one.text, one.tokens, one.finish) == (other.text, other.tokens, other.finish)
    finally:
        await engine.close()


async def test_pieces_make_up_the_whole_and_a_stop_string_ends_it(llama: Any) -> None:
    pieces, whole = await heard(llama, "대한민국의", Sampling(40, temperature=0, streamed=True))
    assert whole.text == " 수도는 서울입니다. 무엇을 도와드릴까요?"
    assert len(pieces) > 3
    assert "".join(piece.text for piece in pieces) == whole.text
    pieces, stopped = await heard(llama, "대한민국의", Sampling(40, temperature=0, streamed=True, stop=("입니다. 무",)))
    assert (stopped.text, stopped.finish) == (" 수도는 서울", Finish.STOP)
    assert "".join(piece.text for piece in pieces) == stopped.text


async def test_a_seed_repeats_a_text(llama: Any) -> None:
    drawn = [(await heard(llama, "안", Sampling(30, temperature=2.0, seed=seed)))[1].text for seed in (5, 5, 6)]
    assert drawn[0] == drawn[1] != drawn[2]


async def test_more_requests_than_places_are_all_answered(llama: Any) -> None:
    answers = await asyncio.gather(*(heard(llama, "정답은", Sampling(8, temperature=0)) for _ in range(9)))
    assert {answer.tokens for _, answer in answers} == {8}


async def test_probabilities_are_refused_since_some_would_be_missing(llama: Any) -> None:
    with pytest.raises(RequestError, match="serve safetensors, or leave logprobs out"):
        await llama.score([[1, 2]], 1)
    with pytest.raises(RequestError, match="serve safetensors, or leave logprobs out"):
        await heard(llama, "정답은", Sampling(8, alternatives=1))
