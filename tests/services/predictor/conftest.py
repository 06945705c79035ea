"""One tiny model for all tests of the predictor."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
import pytest_asyncio

from gyeol.chassis.clock import SystemClock
from gyeol.predictor.disclosure import Disclosure
from gyeol.predictor.folder import model_folder
from gyeol.predictor.openai.route import application
from gyeol.predictor.service import Serving
from gyeol.predictor.settings import Settings
from support import tiny_model

if TYPE_CHECKING:
    from gyeol.predictor.engine.transformer import TransformerEngine


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> Iterator[None]:
    """A model this small only waits for its second thread."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_model.write(tmp_path_factory.mktemp("model") / "tiny")


@pytest.fixture(scope="session")
def engine(folder: Path) -> Iterator[TransformerEngine]:
    from gyeol.predictor.engine.transformer import TransformerEngine

    loaded = TransformerEngine(model_folder(folder), Settings())
    yield loaded
    asyncio.run(loaded.close())


@pytest_asyncio.fixture
async def client(folder: Path, engine: TransformerEngine) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the OpenAI routes, with notices both in the header and in the body."""
    serving = Serving("tiny", model_folder(folder), lambda: engine, SystemClock())
    disclosure = Disclosure("both", "인공지능이 생성했습니다.")
    app = application({"tiny": serving}, SystemClock(), disclosure, max_tokens=12)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://predictor") as opened:
        yield opened
