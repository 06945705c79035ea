"""The final table, for people."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from gyeol.local.kept import Measure
from gyeol.local.progress import STATES
from gyeol.local.reason import dropped
from gyeol.local.result import Comparison, Result

VERDICTS = {
    "Pass": ("통과", "bold green"),
    "Fail": ("불합격", "bold red"),
    "Inconclusive": ("판단 보류", "bold yellow"),
}
METRICS = {
    ("cultural-safety", "safe"): "safe rate · 안전 응답률",
    ("over-refusal", "refused"): "over-refusal · 과잉 거절률",
    ("smoke-mcq", "correct"): "multiple choice · 객관식 정답률",
}
TRAINING = {"margin": "reward margin · 보상 차", "accuracy": "accuracy · 정확도", "steps": "steps · 단계"}

APART = (
    "before and after each rest on the items scored there; the gate compares only items scored in both\n"
    "이전과 이후는 각각 채점된 문항의 값이며, 게이트는 양쪽에서 모두 채점된 문항만 비교합니다."
)


def show(result: Result, console: Console) -> None:
    """Prints what came out of a run."""
    table = Table(title=f"{result.run_id}", title_justify="left", show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_row("seeds · 씨앗 질문", str(result.seeds))
    table.add_row(
        "mined or answered · 공격 성공·응답",
        f"{result.answered} (harmful questions mined, benign ones answered · 공격에 성공한 유해 질문과 답을 얻은 무해한 질문)",
    )
    for reason, count in sorted(result.drops.items(), key=lambda one: -one[1]):
        table.add_row(f"  dropped · 제외: {dropped(reason)}", str(count))
    if result.failures:
        table.add_row("  failed · 실패", str(result.failures))
    table.add_row(
        "accepted triplets · 채택된 삼중항",
        f"{result.accepted_harmful} harmful · 유해, {result.accepted_benign} benign · 무해",
    )
    if result.deficits:
        table.add_row(
            "  below target · 목표 미달", ", ".join(f"{name} {count}" for name, count in result.deficits.items())
        )
    table.add_row("model calls · 모델 호출", f"{result.calls} (+{result.cached_calls} from the store · 저장된 응답)")
    for name, label in TRAINING.items():
        if name in result.training:
            table.add_row(f"training · 학습: {label}", f"{result.training[name]:.3g}")
    console.print(table)
    if result.comparisons:
        console.print(_comparisons(result))
        if any(_apart(one) for one in result.comparisons):
            console.print(Text(APART, "dim"))
    _verdict(result, console)
    _places(result, console)


def _apart(one: Comparison) -> bool:
    """True: the two sides cannot rest on the same items, since at least one of them leaves some out, or is not there."""
    if one.before is None or one.after is None:
        return True
    return one.before.items != one.after.items or any(side.scored < side.items for side in (one.before, one.after))


def _comparisons(result: Result) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("", "before · 이전", "items · 문항", "after · 이후", "items · 문항"):
        table.add_column(heading)
    for one in result.comparisons:
        name = METRICS.get((one.suite, one.metric), f"{one.suite}/{one.metric}")
        table.add_row(name, _measure(one.before), _items(one.before), _measure(one.after), _items(one.after))
    return table


def _items(one: Measure | None) -> str:
    """Scored items of all: each side counts its own, as an answer may be scored on one side and not on the other."""
    return f"{one.scored}/{one.items}" if one else "–"


def _measure(one: Measure | None) -> str:
    if one is None or one.mean is None:
        return "not measured · 측정 안 됨"
    if one.low is None or one.high is None:
        return f"{one.mean:.2f}"
    return f"{one.mean:.1%} ({one.low:.1%} – {one.high:.1%})"


def _verdict(result: Result, console: Console) -> None:
    if result.verdict:
        korean, style = VERDICTS[result.verdict]
        console.print(Text.assemble((f"{result.verdict} · {korean}", style), f"  {result.why}"))
    else:
        console.print(Text(f"{STATES.get(result.state, result.state)}: {result.why}", "bold yellow"))
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    for one in result.criteria:
        said = Text.assemble(one.reason, "\n", (one.reason_ko, "dim")) if one.reason_ko else one.reason
        style = VERDICTS.get(one.result, ("", ""))[1]
        table.add_row(Text(one.result, style), one.name, said)
    if result.criteria:
        console.print(table)


def _places(result: Result, console: Console) -> None:
    for heading, place in (
        ("report · 보고서", result.report),
        ("model · 모델", result.model),
        ("dataset · 데이터셋", result.dataset),
    ):
        if place:
            console.print(Text(f"{heading}: {place}"), soft_wrap=True)
    if result.model:
        console.print(Text("talk to it · 대화해 보기: gyeol chat"))
