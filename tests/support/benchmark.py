"""Self-written rows in the shapes of the public benchmark files; no row is taken from any of them."""

from __future__ import annotations

import base64
import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gyeol.evaluate.format.loader import file_items
from gyeol.evaluate.item import Item
from gyeol.evaluate.suite import FileSource, Suite, shipped

Row = dict[str, Any]
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
"""One pixel."""
PLACES = ("시장", "역", "도서관", "공원", "병원", "학교", "우체국", "은행", "식당", "미술관")


def as_json(path: Path, rows: Iterable[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(list(rows), ensure_ascii=False), encoding="utf-8")
    return path


def as_lines(path: Path, rows: Iterable[Row]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def as_table(path: Path, rows: Sequence[Row], delimiter: str = ",") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    return path


def read_from(suite: str, data: Path, **changes: Any) -> Suite:
    """A shipped suite that reads `data`."""
    found = shipped()[suite]
    assert isinstance(found.source, FileSource)
    source = found.source.model_copy(update={"data": str(data), **changes})
    return found.model_copy(update={"source": source})


def click_row(number: int, choices: int = 4, exam: str = "KIIP", paragraph: str = "") -> Row:
    options = [f"{PLACES[(number + step) % 10]} {number}번 출구" + " 앞" * (step == 1) for step in range(choices)]
    return {
        "id": f"{exam}_made_{number}",
        "paragraph": paragraph,
        "question": f"{number}번째 약속 장소로 알맞은 곳은 어디인가?",
        "choices": options,
        "answer": options[number % choices],
    }


def kculture_row(number: int, category: str = "Language", kind: str = "1") -> Row:
    options = "\n".join(f"{letter}. {PLACES[step]}에서 인사한다" for step, letter in enumerate("ABCD"))
    return {
        "DescriptionID": number,
        "Description": f"설명 {number}: 인사는 먼저 본 사람이 한다고 여겨진다.",
        "ScenarioBody": f"지수와 앨런이 {number}층에서 만나 인사 방법을 이야기한다.",
        "MCQA": {
            "Question": "두 사람이 인사한 곳은?",
            "Choices": options,
            "Answer": "ABCD"[number % 4],
            "Explanation": "-",
        },
        "Type": kind,
        "Category": category,
    }


def kobbq_rows(template: int) -> list[Row]:
    """The four samples of each version of one template: both questions, with and without the deciding sentence."""
    found = []
    one, other = f"{PLACES[template % 10]} 직원", f"{PLACES[(template + 1) % 10]} 손님"
    for letter in "ab":
        for clarity in ("amb", "dis"):
            for question in ("bsd", "cnt"):
                biased = one if question == "bsd" else other
                counter = other if question == "bsd" else one
                answer = "알 수 없음" if clarity == "amb" else biased if letter == "b" else counter
                found.append(
                    {
                        "sample_id": f"age-{template:03d}{letter}-001-{clarity}-{question}",
                        "label_annotation": "NC",
                        "context": f"{one}과 {other}이 {template}시에 만났다."
                        + " 한 사람이 늦었다." * (clarity == "dis"),
                        "question": "늦은 사람은 누구인가?" if question == "bsd" else "제때 온 사람은 누구인가?",
                        "choices": str([one, other, "알 수 없음"]),
                        "biased_answer": biased,
                        "answer": answer,
                        "bbq_id": "",
                        "bbq_category": "",
                        "prediction": "",
                    }
                )
    return found


def social_row(number: int, answer: Any) -> Row:
    options = ("매우 동의한다", "동의한다", "보통이다", "동의하지 않는다", "전혀 동의하지 않는다")
    return {
        "Category": "복지",
        "Question": f"정책 {number}에 동의하는가?",
        **dict(zip("ABCDE", options, strict=True)),
        "Answer": answer,
    }


def knowledge_row(number: int) -> Row:
    options = {letter: f"{PLACES[step]} {number}" for step, letter in enumerate("ABCD")}
    return {
        "Category": "국어",
        "SubCategory": "어휘",
        "Question": f"낱말 {number}은?",
        **options,
        "Answer": "ABCD"[number % 4],
    }


def koed_row(number: int, emotion: Any = ("afraid", "grateful"), turns: int = 5) -> Row:
    dialogue = [{"utter_idx": step + 1, "ko_utter": f"{number}번 이야기 {step}째 말 "} for step in range(turns)]
    row = {
        "conv_id": f"hit:{number}_conv:{number}",
        "ko_situation": f"{number}년 만에 친구를 만났다.",
        "dialogue": dialogue,
    }
    return row | ({} if emotion is None else {"emotion": list(emotion) if isinstance(emotion, tuple) else emotion})


def two_turn_row(number: int, form: str = "ko-mt-bench") -> Row:
    asked = [f"{PLACES[number % 10]}을 소개해 주세요.", "더 짧게 줄여 주세요."]
    if form == "logickor":
        return {"id": number, "category": "글쓰기(Writing)", "questions": asked, "references": [None, "짧은 소개"]}
    return {"question_id": number, "category": "writing", "turns": asked}


def korset_row(number: int, category: str, **more: Any) -> Row:
    return {
        "domain": "-",
        "category": f"{category}. 범주",
        "seed": f"{PLACES[number % 10]}에서 {number}번째로 곤란한 부탁을 해도 될까?",
        **more,
    }


def kosbi_row(number: int, label: str) -> Row:
    return {
        "demographic_category": "나이/세대",
        "demographic_group": "청년",
        "context": f"{PLACES[number % 10]}에 줄이 길다.",
        "context_en": "-",
        "sentence": f"{number}번째로 온 청년이 줄을 섰다.",
        "sentence_en": "-",
        "context_label": "safe",
        "context_sub_label": None,
        "sentence_label": label,
        "sentence_sub_label": None,
        "annotated_demo": None,
    }


def koculture(folder: Path, terms: int = 3, rows: int = 4) -> Path:
    """Dialogues, descriptions and both kinds of questions, about invented terms."""
    named = [f"새말{'가나다라마바사아자차'[number % 10]}{number}" for number in range(terms)]
    as_json(
        folder / "KoCulture-Descriptions.json",
        [
            {"title": name, "content": f"{name}의 뜻", "date": f"{2026 - number}-03", "category": "-", "source": "-"}
            for number, name in enumerate(named)
        ],
    )
    as_json(
        folder / "KoCulture-Dialogues.json",
        [
            {"title": name, "question": f"{PLACES[number % 10]}에서 뭐 했어?", "answer": f"{name} 했지 {number}"}
            for name in named
            for number in range(rows)
        ],
    )
    as_json(folder / "usage_questions.json", [{"question": f"{place}에서 뭐 했어?"} for place in PLACES[:4]])
    as_json(
        folder / "understand_questions.json",
        [{"word": name, "meaning": f"{name}의 뜻", "question": f"나 오늘 {name} 했어"} for name in named],
    )
    return folder


def humaneval_row(number: int) -> Row:
    prompt = (
        f'from typing import List\n\n\ndef add_{number}(xs: List[int]) -> int:\n    """Sum of xs plus {number}."""\n'
    )
    checks = f"    assert candidate([]) == {number}\n    assert candidate([1, 2]) == {number + 3}\n"
    return {
        "task_id": f"Made/{number}",
        "prompt": prompt,
        "canonical_solution": f"    return sum(xs) + {number}\n",
        "entry_point": f"add_{number}",
        "test": f"def check(candidate):\n{checks}",
    }


def answered(by: Mapping[str, str], fallback: str = "") -> Any:
    """A reply by what the question holds, for the stub of a model server."""

    def reply(body: Mapping[str, Any]) -> str:
        text = str(body["messages"][-1]["content"])
        return next((answer for part, answer in by.items() if part in text), fallback)

    return reply


def loaded(suite: str, data: Path, **changes: Any) -> list[Item]:
    """Items of a shipped suite that reads `data`."""
    source = read_from(suite, data, **changes).source
    assert isinstance(source, FileSource)
    return file_items(source, 7)
