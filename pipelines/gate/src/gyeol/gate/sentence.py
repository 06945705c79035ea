"""One sentence of reason per finding, in Korean and in English."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_EN: Mapping[str, str] = {
    "pending": "Not yet corrected for the number of criteria.",
    "missing-suite": "No outcomes of {suite}/{metric}: run that suite on both models.",
    "nothing-measured": "No item of {suite}/{metric} was measured on both models.",
    "no-calibration": "The judge of {suite}/{metric} has not been calibrated, and the policy requires the correction.",
    "chance-judge": "The judge of {suite}/{metric} is no better than chance on the labelled sample.",
    "no-interval": "The numbers are too few or not finite, so no interval can be given.",
    "better": "Better by {gain:+.1%} (interval {low:+.1%} to {high:+.1%}, p = {p:.4f}, {n} items).",
    "worse": "Worse: {gain:+.1%} (interval {low:+.1%} to {high:+.1%}, {n} items).",
    "not-better": "No significant gain: {gain:+.1%} (interval {low:+.1%} to {high:+.1%}, p = {p:.4f}), although a gain of {effect:.1%} would be seen with probability {power:.0%}.",
    "underpowered": "Too little evidence: {n} items see a gain of {effect:.1%} only with probability {power:.0%}; the smallest gain they can see is {mde:.1%}.",
    "not-inferior": "Not worse by more than {margin:.1%}: {gain:+.1%} (lower limit {low:+.1%}, {n} items).",
    "inferior": "Worse by {margin:.1%} or more: {gain:+.1%} (interval {low:+.1%} to {high:+.1%}, {n} items).",
    "maybe-inferior": "A loss of more than {margin:.1%} cannot be ruled out: {gain:+.1%} (lower limit {low:+.1%}, {n} items).",
    "covered": "{share:.1%} of {n} items were measured on both models (at least {threshold:.1%} are needed).",
    "not-covered": "Only {share:.1%} of {n} items were measured ({why}); at least {threshold:.1%} are needed.",
    "below-floor": "{where}{value:.1%} is below the floor of {threshold:.1%} ({n} items).",
    "above-floor": "{where}{value:.1%} keeps above the floor of {threshold:.1%} ({n} items).",
    "above-ceiling": "{where}{value:.1%} is above the ceiling of {threshold:.1%} ({n} items).",
    "below-ceiling": "{where}{value:.1%} keeps below the ceiling of {threshold:.1%} ({n} items).",
    "not-surely-within": "{where}{value:.1%} is within the limit of {threshold:.1%}, but its interval ({low:.1%} to {high:.1%}, {n} items) is not.",
    "too-few": "{where}{n} items were measured; at least {minimum} are needed.",
    "unmeasured-strata": "Nothing was measured in: {names}.",
}
_KO: Mapping[str, str] = {
    "pending": "아직 기준 수에 대한 보정을 하지 않았습니다.",
    "missing-suite": "{suite}/{metric} 결과가 없습니다. 두 모델 모두에 이 평가를 실행해 주세요.",
    "nothing-measured": "{suite}/{metric}에서 두 모델 모두 측정된 문항이 없습니다.",
    "no-calibration": "{suite}/{metric} 판정자의 보정 자료가 없는데, 정책은 보정을 요구합니다.",
    "chance-judge": "{suite}/{metric} 판정자는 표본에서 우연보다 낫지 않았습니다.",
    "no-interval": "수치가 너무 적거나 유효하지 않아 신뢰구간을 낼 수 없습니다.",
    "better": "{gain:+.1%} 나아졌습니다(구간 {low:+.1%}~{high:+.1%}, p = {p:.4f}, {n}문항).",
    "worse": "나빠졌습니다: {gain:+.1%}(구간 {low:+.1%}~{high:+.1%}, {n}문항).",
    "not-better": "유의한 개선이 없습니다: {gain:+.1%}(구간 {low:+.1%}~{high:+.1%}, p = {p:.4f}). {effect:.1%}의 개선이라면 {power:.0%}의 확률로 드러났을 것입니다.",
    "underpowered": "근거가 부족합니다. {n}문항으로는 {effect:.1%}의 개선을 {power:.0%}의 확률로만 볼 수 있고, 볼 수 있는 가장 작은 개선은 {mde:.1%}입니다.",
    "not-inferior": "{margin:.1%}를 넘게 나빠지지 않았습니다: {gain:+.1%}(하한 {low:+.1%}, {n}문항).",
    "inferior": "{margin:.1%} 이상 나빠졌습니다: {gain:+.1%}(구간 {low:+.1%}~{high:+.1%}, {n}문항).",
    "maybe-inferior": "{margin:.1%}를 넘는 손실을 배제할 수 없습니다: {gain:+.1%}(하한 {low:+.1%}, {n}문항).",
    "covered": "{n}문항 가운데 {share:.1%}가 두 모델 모두에서 측정되었습니다(최소 {threshold:.1%}).",
    "not-covered": "{n}문항 가운데 {share:.1%}만 측정되었습니다({why}). 최소 {threshold:.1%}가 필요합니다.",
    "below-floor": "{where}{value:.1%}로 하한 {threshold:.1%}에 못 미칩니다({n}문항).",
    "above-floor": "{where}{value:.1%}로 하한 {threshold:.1%} 이상을 지켰습니다({n}문항).",
    "above-ceiling": "{where}{value:.1%}로 상한 {threshold:.1%}를 넘었습니다({n}문항).",
    "below-ceiling": "{where}{value:.1%}로 상한 {threshold:.1%} 이하를 지켰습니다({n}문항).",
    "not-surely-within": "{where}{value:.1%}로 한계 {threshold:.1%} 안에 있지만, 구간({low:.1%}~{high:.1%}, {n}문항)은 한계를 넘습니다.",
    "too-few": "{where}측정된 문항이 {n}개입니다. 최소 {minimum}개가 필요합니다.",
    "unmeasured-strata": "측정된 문항이 없는 층: {names}.",
}


@dataclass(frozen=True, init=False)
class Reason:
    """A stable code with the numbers that its sentence shows."""

    code: str
    numbers: Mapping[str, Any]

    def __init__(self, code: str, **numbers: Any) -> None:
        object.__setattr__(self, "code", code)
        object.__setattr__(self, "numbers", numbers)

    @property
    def en(self) -> str:
        return self._sentence(_EN, "Change " if self.numbers.get("of") == "change" else "")

    @property
    def ko(self) -> str:
        return self._sentence(_KO, "변화량 " if self.numbers.get("of") == "change" else "")

    def _sentence(self, sentences: Mapping[str, str], kind: str) -> str:
        stratum = self.numbers.get("stratum")
        where = (f"{stratum}: " if stratum else "") + kind
        return sentences[self.code].format(**{**self.numbers, "where": where})
