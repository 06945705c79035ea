"""What rating judges are asked: one criterion each, on a scale that is always shown in both orders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Criterion:
    id: str
    question: str
    """What is rated, in Korean: judges of Korean text read Korean."""
    least: int
    most: int
    low: str
    """What the least grade means."""
    high: str


CRITERIA: Mapping[str, Criterion] = {
    one.id: one
    for one in (
        Criterion(
            "ex",
            "탐색: 상대가 말하지 않은 감정이나 경험을 자연스럽게 물어보는가?",
            1,
            5,
            "전혀 묻지 않음",
            "섬세하게 물어봄",
        ),
        Criterion(
            "ip", "해석: 상대의 감정과 상황을 이해했음을 드러내는가?", 1, 5, "이해가 드러나지 않음", "정확하게 이해함"
        ),
        Criterion("er", "정서 반응: 따뜻함과 염려를 표현하는가?", 1, 5, "냉담함", "진심 어린 따뜻함"),
        Criterion(
            "eea", "감정 조응: 상대의 감정 상태에 어울리며 도움이 되는 방향으로 이끄는가?", 1, 5, "어긋남", "꼭 맞음"
        ),
        Criterion(
            "ca",
            "문화 적절성: 한국의 가치, 관습, 기대, 높임법과 어법에 맞는가?",
            1,
            5,
            "매우 어색함",
            "매우 자연스러움",
        ),
        Criterion(
            "understanding",
            "이해: 응답이 주어진 낱말을 그 뜻대로 알고 대화에 맞게 답하는가?",
            1,
            5,
            "뜻을 모름",
            "뜻을 정확히 앎",
        ),
        Criterion(
            "quality",
            "품질: 질문에 정확하고 유용하며 충실하게 답하는가? 참고 답안이 있으면 그에 비추어 판단한다.",
            1,
            10,
            "매우 나쁨",
            "매우 좋음",
        ),
    )
}
