"""Programs of a model run isolated, and only isolated."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gyeol.evaluate.answer import Answer
from gyeol.evaluate.format.loader import file_items
from gyeol.evaluate.item import Item
from gyeol.evaluate.outcome import Outcome, Scored, Unscored
from gyeol.evaluate.scorer.program import program_outcomes
from gyeol.evaluate.suite import FileSource
from support import benchmark

PROMPT = 'def double(x: int) -> int:\n    """Twice x."""\n'
TEST = "def check(candidate):\n    assert candidate(2) == 4\n    assert candidate(-1) == -2\n"
needs_bubblewrap = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")


async def passed(reply: str, test: str = TEST) -> Outcome:
    item = Item("t", (), "program", "t", {"prompt": PROMPT, "entry_point": "double", "test": test})
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
async def test_tests_may_compare_with_numpy_within_the_limits_of_memory() -> None:
    outcome = await passed(
        "    return 2 * x\n", "import numpy as np\n\n" + TEST + "    assert np.allclose(candidate(3), 6.0)\n"
    )
    if isinstance(outcome, Unscored):
        pytest.skip(outcome.detail)
    assert outcome == Scored(1.0)


@needs_bubblewrap
async def test_the_published_solutions_pass_and_programs_that_return_nothing_do_not(tmp_path: Path) -> None:
    rows = [benchmark.humaneval_row(number) for number in range(2)]
    source = benchmark.read_from("humaneval-plus", benchmark.as_lines(tmp_path / "h.jsonl", rows)).source
    assert isinstance(source, FileSource)
    for item, row in zip(file_items(source, 7), rows, strict=True):
        whole = f"```python\n{row['prompt']}{row['canonical_solution']}```"
        for reply, value in ((whole, 1.0), (row["canonical_solution"], 1.0), ("    return None\n", 0.0)):
            outcome = (await program_outcomes(item, Answer((reply,), "stop"), ["passed"]))["passed"]
            if isinstance(outcome, Unscored):
                pytest.skip(outcome.detail)
            assert outcome == Scored(value), reply


@needs_bubblewrap
async def test_a_program_can_write_nothing_outside(tmp_path: Path) -> None:
    target = Path(__file__).parent / "escaped.txt"
    await passed(f"```python\ndef double(x):\n    open({str(target)!r}, 'w').write('x')\n    return 2 * x\n```")
    assert not target.exists()
