"""Programs of a model run isolated, and only isolated."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gyeol.evaluate.answer import Answer
from gyeol.evaluate.item import Item
from gyeol.evaluate.outcome import Outcome, Scored, Unscored
from gyeol.evaluate.scorer.program import program_outcomes

PROMPT = 'def double(x: int) -> int:\n    """Twice x."""\n'
TEST = "def check(candidate):\n    assert candidate(2) == 4\n    assert candidate(-1) == -2\n"
needs_bubblewrap = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")


async def passed(reply: str) -> Outcome:
    item = Item("t", (), "program", "t", {"prompt": PROMPT, "entry_point": "double", "test": TEST})
    return (await program_outcomes(item, Answer((reply,), "stop"), ["passed"]))["passed"]


@needs_bubblewrap
@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("```python\ndef double(x):\n    return 2 * x\n```", 1.0),
        ("    return 2 * x\n", 1.0),
        ("```python\ndef double(x):\n    return x * x\n```", 0.0),
        ("잘 모르겠습니다.", 0.0),
        (
            "```python\nimport socket\ndef double(x):\n    socket.create_connection(('127.0.0.1', 22), 1)\n    return 2 * x\n```",
            0.0,
        ),
    ],
    ids=["whole", "continued", "wrong", "prose", "network"],
)
async def test_a_program_passes_when_its_tests_hold(reply: str, value: float) -> None:
    outcome = await passed(reply)
    if isinstance(outcome, Unscored):
        pytest.skip(outcome.detail)
    assert outcome == Scored(value)


@needs_bubblewrap
async def test_a_program_can_write_nothing_outside(tmp_path: Path) -> None:
    target = Path(__file__).parent / "escaped.txt"
    await passed(f"```python\ndef double(x):\n    open({str(target)!r}, 'w').write('x')\n    return 2 * x\n```")
    assert not target.exists()
