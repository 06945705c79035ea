from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from gyeol.predictor.domain import Message
from gyeol.predictor.engine.transformer import TransformerEngine
from gyeol.predictor.errors import RequestError
from gyeol.predictor.folder import model_folder
from gyeol.predictor.settings import Settings

USER = Message("user", "안녕하세요?")


async def chatting(folder: Path, place: Path, template: str | None, messages: list[Message]) -> str:
    """What a model with this chat template is given to continue."""
    copy = shutil.copytree(folder, place / "copy")
    (copy / "chat_template.jinja").unlink()
    if template is not None:
        (copy / "chat_template.jinja").write_text(template)
    (copy / "manifest.json").write_text(json.dumps({"digest": "sha256:00"}))
    engine = TransformerEngine(model_folder(copy), Settings())
    try:
        return await engine.text_of(await engine.chat_tokens(messages))
    finally:
        await engine.close()


async def test_a_conversation_has_the_form_of_the_models_template(folder: Path, tmp_path: Path) -> None:
    said = await chatting(folder, tmp_path, "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}", [USER])
    assert said == "<user>안녕하세요?"


async def test_what_the_template_refuses_is_the_callers_to_mend(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="refuses them: roles must alternate") as refused:
        await chatting(folder, tmp_path, "{{ raise_exception('roles must alternate') }}", [USER])
    assert refused.value.field == "messages"


async def test_a_model_without_a_template_does_not_chat(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="send plain text to /completions"):
        await chatting(folder, tmp_path, None, [USER])


async def test_the_context_may_be_set_shorter_than_the_models_own(folder: Path) -> None:
    for wanted, found in ((None, 128), (64, 64), (4096, 128)):
        engine = TransformerEngine(model_folder(folder), Settings(context=wanted))
        await engine.close()
        assert engine.context == found
        assert model_folder(folder).within(wanted) == found, "known before it is loaded"
