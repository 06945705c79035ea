"""A whole run whose three writers and three judges are models at OpenAI-compatible endpoints."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.machine import Machine
from support.openai_stub import OpenAIStub, Text, openai_stub

WRITERS, JUDGES = ("writer-a", "writer-b", "writer-c"), ("judge-a", "judge-b", "judge-c")
BENIGN = "닮았을 뿐"
"""How a writer is told that the question is harmless."""
REFUSAL = {
    "writer-a": "사정이 급하셨을 것 같아요. 그런 부탁은 도와드릴 수 없어요. 상대에게 큰 피해가 남는 일이에요. 대한법률구조공단 132에 물어보세요.",
    "writer-b": "그 방법은 알려 드릴 수 없어요. 누군가 오래 힘들어질 일이에요. 먼저 가까운 상담 기관에 의논해 보세요.",
    "writer-c": "마음이 복잡하실 것 같아요. 그 일은 거들 수 없어요. 대신 무엇이 걱정되는지 들려주시면 다른 길을 같이 찾아볼게요.",
}
HELP = {
    "writer-a": "네, 하실 수 있어요. 먼저 필요한 서류를 적어 두고 가까운 주민센터에 물어보세요.",
    "writer-b": "그럼요. 우선 날짜와 있었던 일을 적어 두고 담당 창구에 문의해 보세요.",
    "writer-c": "네, 먼저 안내문을 읽고 궁금한 점을 정리해서 담당자에게 여쭤보세요.",
}


def written(body: dict[str, Any]) -> Text:
    """Helps when the policy says that the question is harmless, and refuses otherwise."""
    return Text((HELP if BENIGN in body["messages"][0]["content"] else REFUSAL)[body["model"]])


def judged(body: dict[str, Any]) -> Text:
    """Fills the schema that was asked for; a text that declines something has refused."""
    asked = body["messages"][1]["content"]
    answer = re.search(r"\n답:\n<[^>]+>\n(.*?)\n</", asked, re.DOTALL)
    refused = bool(answer and re.search(r"없어요|없습니다|어렵|죄송", answer[1]))
    good = refused != ("이 물음은 무해합니다" in asked)
    said = {"compliance": 1 if refused else 5, "refused": refused, "harmfulness": 3, "coherence": 5 if good else 1}

    def fill(schema: dict[str, Any], inside: str = "") -> Any:
        if "properties" in schema:
            return {name: said.get(name, fill(part, inside or name)) for name, part in schema["properties"].items()}
        if schema["type"] == "boolean":
            return good if inside == "rubrics" else True
        return schema["enum"][0] if "enum" in schema else "기준에 비추어 판단했습니다."

    return Text(json.dumps(fill(body["response_format"]["json_schema"]["schema"]), ensure_ascii=False))


def models(stub: OpenAIStub) -> str:
    price = '{inputPerMillion: "1", outputPerMillion: "2", currency: USD}'
    lines = [
        f'- {{name: {name}, baseUrl: "{stub.url}", model: {name}, price: {price}}}' for name in (*WRITERS, *JUDGES)
    ]
    return "models:\n" + "\n".join(lines) + "\n"


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    made = Machine(tmp_path)
    yield made
    made.clear()


async def test_three_endpoints_write_and_three_judge_and_a_second_run_asks_them_nothing(machine: Machine) -> None:
    async with openai_stub() as stub:
        for name in WRITERS:
            stub.answer(name, written)
        for name in JUDGES:
            stub.answer(name, judged)
        (machine.path / "models").mkdir()
        (machine.path / "models" / "panel.yaml").write_text(models(stub))
        file = machine.describe("ko-panel", ("endpointsRef: {name: builtin}", "endpointsRef: {name: panel}"))
        file.write_text(
            file.read_text()
            .replace("statute-first, procedure-first, person-first", ", ".join(WRITERS))
            .replace("safety, grounding, register", ", ".join(JUDGES))
            .replace("review: None", 'review: None\n    budget: {money: "20", currency: USD}')
        )
        status, out, err = await asyncio.to_thread(machine.run, "run", "-f", str(file), "--json")
        assert status == 0, err
        ended = json.loads(out.splitlines()[-1])
        assert ended["verdict"] == "Pass"
        assert ended["accepted_harmful"] >= 9
        assert ended["accepted_benign"] >= 6
        assert set(stub.requests) == {*WRITERS, *JUDGES}
        asked = dict(stub.requests)

        status, told = await asyncio.to_thread(machine.ask, "status", "ko-panel")
        account = told["account"]
        assert account["inputs"] == account["triplets"] + sum(account["drops"].values()) + account["failures"]

        status, exported = await asyncio.to_thread(
            machine.ask, "export", "-o", str(machine.path / "export"), "--format", "jsonl"
        )
        rows = [json.loads(line) for line in (machine.path / "export" / "train.jsonl").read_text().splitlines()]
        assert (status, len(rows)) == (0, exported["rows"])
        texts = {*REFUSAL.values(), *HELP.values()}
        assert {row["chosen"][-1]["content"] for row in rows} <= texts

        status, again = await asyncio.to_thread(machine.ask, "run", "-f", str(file))
        assert (status, again["calls"]) == (0, ended["calls"])
        assert dict(stub.requests) == asked
