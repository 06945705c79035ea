"""Codes for programs in words for people: why a run waits or ends, and why a record was dropped."""

from __future__ import annotations

from typing import Final

REASONS: Final = {
    "AttemptsExhausted": "it failed too often · 거듭 실패함",
    "AwaitingReview": "waiting for review · 검토 대기",
    "BadInput": "its input was refused · 입력이 거부됨",
    "BaseModelChanged": "the base model changed · 기반 모델이 바뀜",
    "BelowMinimum": "too few triplets in a stratum · 층의 삼중항 부족",
    "CannotServe": "the model cannot be served · 모델을 제공할 수 없음",
    "CeilingBelowTarget": "the ceiling is below the target · 상한이 목표보다 낮음",
    "DatasetChanged": "the dataset was changed · 데이터셋이 바뀜",
    "DeadlineExceeded": "it took too long · 기한 초과",
    "Direct": "promoted directly · 바로 승격함",
    "Evaluated": "evaluated · 평가 완료",
    "Fail": "the gate says Fail · 게이트 불합격",
    "FetchingWeights": "fetching the weights · 가중치를 받는 중",
    "Gathering": "gathering triplets · 삼중항 수집",
    "Inconclusive": "the gate says Inconclusive · 게이트 판단 보류",
    "MachineBusy": "the machine is busy · 기계가 사용 중",
    "ModelNotAnswering": "the model does not answer · 모델이 응답하지 않음",
    "ModelStarting": "the model is being loaded · 모델을 불러오는 중",
    "NoProgress": "nothing moves · 진행 없음",
    "NoVerdict": "the gate left no verdict · 게이트 판정 없음",
    "NotQueued": "not in a queue · 대기열 없음",
    "NothingAccepted": "no triplet was accepted · 채택된 삼중항 없음",
    "PackChanged": "the culture pack changed · 문화 팩이 바뀜",
    "PackMissing": "there is no such culture pack · 문화 팩 없음",
    "Pass": "the gate says Pass · 게이트 통과",
    "Passed": "passed · 통과",
    "PullRequest": "promoted by pull request · 풀 리퀘스트로 승격함",
    "RecordsFailing": "too many records fail · 실패한 기록이 많음",
    "Retrying": "trying again · 다시 시도함",
    "Running": "running · 실행 중",
    "Sealed": "the dataset is sealed · 데이터셋 봉인",
    "SealedWithDeficit": "sealed below the target · 목표에 못 미친 채 봉인",
    "Starting": "starting · 시작 중",
    "Suspended": "suspended · 보류",
    "Trained": "trained · 학습 완료",
    "UnknownReference": "it names what is not there · 없는 것을 가리킴",
    "WaitingInQueue": "waiting in the queue · 대기열에서 기다림",
}
"""Reasons of the conditions and events of a run."""

DROPS: Final = {
    "UNREALISTIC": "not realistic · 현실성 부족",
    "DUPLICATE": "near-duplicate · 중복",
    "NOT_MINED": "no unsafe answer drawn · 유해 응답 없음",
    "QUERY_BENIGN": "query judged benign · 무해한 질문",
    "NO_CANDIDATE": "no eligible answer · 적격 답변 없음",
    "PANEL": "panel not unanimous · 심사 불일치",
    "CONTAMINATED": "in an evaluation set · 평가 세트와 중복",
    "REVIEW": "rejected in review · 검토에서 제외",
    "FILLING": "slot value refused · 빈칸에 맞지 않음",
}
"""Why a record left the pipeline."""


def said(reason: str) -> str:
    """A reason in words; one that is not known stays as it is, so that nothing is lost."""
    return REASONS.get(reason, reason)


def dropped(reason: str) -> str:
    """Why a record was dropped, in words."""
    return DROPS.get(reason, reason)
