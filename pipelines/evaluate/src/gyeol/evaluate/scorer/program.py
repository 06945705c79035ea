"""Runs a program a model wrote against its tests, isolated by bubblewrap.

No network, an empty environment, a file system that is read-only but for an empty /tmp, and limits of time and memory.
Where bubblewrap is not there nothing is run and the item is unscored: code of a model is never run unprotected.
"""

from __future__ import annotations

import asyncio
import re
import resource
import shutil
import sys
from collections.abc import Sequence

from gyeol.evaluate.answer import Answer
from gyeol.evaluate.item import Item
from gyeol.evaluate.outcome import Outcome, Scored, Unscored

SECONDS = 20
MEMORY = 2 << 30
_BLOCK = re.compile(r"```(?:python|py)?\s*\n(.*?)```", re.DOTALL)
_FENCE = ("--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--setenv", "PATH", "/usr/bin:/bin",
          "--setenv", "OPENBLAS_NUM_THREADS", "1")  # fmt: skip # numpy takes memory for every core it sees
_FOLDERS = ("--ro-bind", "/usr", "/usr", "--ro-bind-try", "/lib", "/lib", "--ro-bind-try", "/lib64", "/lib64", "--proc", "/proc",
            "--dev", "/dev", "--tmpfs", "/tmp", "--chdir", "/tmp")  # fmt: skip # noqa: S108 - inside the fence


def program(item: Item, reply: str) -> str:
    """The program to run: the last code block that defines the entry point, or the reply as a continuation of the prompt."""
    name, prompt = str(item.expected["entry_point"]), str(item.expected["prompt"])
    blocks = [block for block in _BLOCK.findall(reply) if f"def {name}" in block]
    whole = blocks[-1] if blocks else reply if f"def {name}" in reply else ""
    # The prompt holds imports and auxiliary functions that a whole answer may leave out; its open function is closed.
    body = f"{prompt}\n    pass\n\n{whole}" if whole else prompt + reply
    return f"{body}\n\n{item.expected['test']}\n\ncheck({name})\n"


async def program_outcomes(item: Item, answer: Answer, metrics: Sequence[str]) -> dict[str, Outcome]:
    """`passed`: 1 when every test holds within the limits of time and memory."""
    fence = shutil.which("bwrap")
    if fence is None:
        missing = Unscored(
            "InfraFailed",
            "bubblewrap is not installed, and programs are not run without it: apt-get install bubblewrap",
        )
        return dict.fromkeys(metrics, missing)
    if not await _runs(fence, "pass\n"):
        return dict.fromkeys(metrics, Unscored("InfraFailed", "bubblewrap cannot make namespaces here"))
    if "import numpy" in str(item.expected["test"]) and not await _runs(fence, "import numpy\n"):
        return dict.fromkeys(metrics, Unscored("InfraFailed", "the tests need numpy: pip install numpy"))
    passed = await _runs(fence, program(item, answer.text))
    return {metric: Scored(float(passed)) for metric in metrics}


async def _runs(fence: str, source: str) -> bool:
    prefixes = [
        part for prefix in dict.fromkeys((sys.base_prefix, sys.prefix)) for part in ("--ro-bind", prefix, prefix)
    ]
    process = await asyncio.create_subprocess_exec(
        fence, *_FENCE, *_FOLDERS, *prefixes, sys.executable, "-I", "-",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
        preexec_fn=_limit, start_new_session=True,
    )  # fmt: skip
    try:
        await asyncio.wait_for(process.communicate(source.encode()), SECONDS)
    except TimeoutError:
        process.kill()
        await process.wait()
    return process.returncode == 0


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
