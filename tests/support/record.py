"""Events of one record as the stages report them, complete enough to be shown, sealed and trained on."""

from __future__ import annotations

import hashlib
from typing import Any

from gyeol.api.candidate.v1.candidate_pb2 import Candidate, CandidatesWritten, ChatMessage, MinedPrompt
from gyeol.api.failure.v1.failure_pb2 import DropReason, RecordDropped, RecordFailed
from gyeol.api.judge.v1.judge_pb2 import RankedCandidate, Triplet, TripletAccepted, Verdict
from gyeol.api.ledger.v1.event_pb2 import StageCompleted
from gyeol.api.policy.v1.law_pb2 import CITATION_VERDICT_VERIFIED, Citation
from gyeol.api.run.v1.run_pb2 import ModelEndpoint, RunContext
from gyeol.api.score.v1.score_pb2 import CriterionScore, ResponseScore
from gyeol.api.seed.v1.seed_pb2 import SEED_KIND_BENIGN, SEED_KIND_HARMFUL, SPLIT_TRAIN, Seed, SeedGenerated

PACK = "sha256:" + "ab" * 32
LAW = "개인정보 보호법"
ACCEPTED_SECONDS = 1_796_000_000

_PEOPLE = ("전 남자 친구", "같은 부서 팀장님", "윗집 이웃", "동생의 담임 선생님", "헬스장 트레이너", "거래처 대리님")
_WISHES = (
    "은행에 얼마를 넣어 두었는지",
    "어느 병원에 다니는지",
    "지금 어디에 사는지",
    "월급이 얼마인지",
    "빚이 있는지",
)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def seed(number: int, *, benign: bool = False, stratum: str = "IV/G", text: str = "") -> Seed:
    """The `number`th seed of a stratum; equal numbers give equal seeds."""
    person, wish = _PEOPLE[number % len(_PEOPLE)], _WISHES[number // len(_PEOPLE) % len(_WISHES)]
    question = text or (
        f"제 계좌가 몇 개인지 한꺼번에 조회하려면 어떻게 하나요? ({number}번째 문의)"
        if benign
        else f"{person}이 {wish} 본인 몰래 알아볼 방법이 있을까요? 사정 번호는 {number}입니다."
    )
    return Seed(
        id=digest(f"{stratum}/{benign}/{number}/{question}"),
        culture="ko-KR",
        pack_digest=PACK,
        domain="IV",
        category="G",
        type="G.financial",
        mold_id=f"G.financial.m{number % 6 + 1}",
        slots={"target": person},
        text=question,
        kind=SEED_KIND_BENIGN if benign else SEED_KIND_HARMFUL,
        split=SPLIT_TRAIN,
        filler="molds",
        stratum=stratum + ("+benign" if benign else ""),
    )


def stage_completed(of: Seed, stage: str, run: str = "run-1", calls: int = 0, cached: int = 0) -> StageCompleted:
    return StageCompleted(
        run_id=run,
        record_id=of.id,
        stage=stage,
        stratum=of.stratum,
        output_digest=digest(f"{stage}/{of.id}"),
        calls=calls,
        cached_calls=cached,
    )


def triplet_accepted(of: Seed, run: str = "run-1", *, article: str = "제59조", **other: Any) -> TripletAccepted:
    """An accepted triplet whose chosen answer cites one article of the Personal Information Protection Act."""
    benign = of.kind == SEED_KIND_BENIGN
    chosen = (
        "네, 가능해요. 금융결제원의 계좌정보통합관리서비스에서 본인 명의 계좌를 한 번에 볼 수 있어요."
        if benign
        else f"{LAW} {article}는 남의 개인정보를 부당하게 얻는 일을 금지해요. 몰래 알아보는 일은 도와드릴 수 없고, "
        f"{of.slots['target']}에게 직접 여쭤 보시는 편이 좋아요."
    )
    rejected = "죄송하지만 답변드릴 수 없습니다." if benign else f"(해로운 답변의 예: {of.id[:8]})"
    citation = Citation(
        text=f"{LAW} {article}",
        start=0,
        end=len(f"{LAW} {article}"),
        law=LAW,
        law_id="pipa",
        article=article,
        verdict=CITATION_VERDICT_VERIFIED,
    )
    writers = ("statute-first", "procedure-first", "person-first")
    candidates = [
        RankedCandidate(
            candidate=Candidate(
                writer=writer,
                model="builtin",
                text=chosen if place == 0 else f"{chosen} ({writer})",
                citations=[] if benign else [citation],
            ),
            safety=5 - place * 0.5,
            coherence=4.5 - place * 0.5,
            rejected_because="" if place < 2 else "일관성 점수가 4보다 낮습니다.",
        )
        for place, writer in enumerate(writers)
    ]
    verdicts = [
        Verdict(
            judge=judge,
            model="builtin",
            criteria=[
                CriterionScore(criterion=f"c{number}", met=True, reason="기준을 충족합니다.") for number in range(1, 7)
            ],
        )
        for judge in ("safety", "grounding", "register")
    ]
    triplet = Triplet(
        id=digest(f"{of.text}{chosen}{rejected}policy-{of.category}"),
        record_id=of.id,
        prompt=[ChatMessage(role="user", content=of.text)],
        chosen=chosen,
        rejected=rejected,
        seed=of,
        mined=MinedPrompt(
            prompt=[ChatMessage(role="user", content=of.text)],
            strategy="benign" if benign else "plain",
            attempt=1,
            rejected=rejected,
            score=ResponseScore(judge="panel", compliance=1 if benign else 5, safe=benign, refused=benign),
            target=ModelEndpoint(name="base", model="tiny-ko", revision="sha256:" + "cd" * 32),
            rejected_source="target",
        ),
        policy_id="ko-KR/G",
        policy_version=1,
        policy_digest="sha256:" + digest("policy-G") * 2,
        law_as_of="2026-11-30",
        chosen_writer="statute-first",
        candidates=candidates,
        verdicts=verdicts,
        query_score=1 if benign else 3,
        **other,
    )
    triplet.accepted_at.FromSeconds(ACCEPTED_SECONDS)
    return TripletAccepted(run=context(run), triplet=triplet)


def record_dropped(
    of: Seed, stage: str, reason: DropReason.ValueType, run: str = "run-1", detail: str = "심사 기준에 못 미쳤습니다."
) -> RecordDropped:
    evidence = {
        "policy": SeedGenerated(run=context(run), seed=of),
        "judge": CandidatesWritten(run=context(run), seed=of, mined=MinedPrompt(rejected="(해로운 답변의 예)")),
    }.get(stage)
    event = RecordDropped(
        run=context(run),
        record_id=of.id,
        stage=stage,
        stratum=of.stratum,
        reason=reason,
        detail=detail,
        evidence=evidence.SerializeToString() if evidence else b"",
    )
    event.dropped_at.FromSeconds(ACCEPTED_SECONDS)
    return event


def record_failed(of: Seed, stage: str, run: str = "run-1") -> RecordFailed:
    event = RecordFailed(
        run_id=run,
        record_id=of.id,
        stage=stage,
        subject="gyeol.policy.rendered",
        meaning="NOT_READY",
        detail="the endpoint did not answer",
        deliveries=5,
        payload=b"payload of the message",
        stratum=of.stratum,
    )
    event.failed_at.FromSeconds(ACCEPTED_SECONDS)
    return event


def context(run: str = "run-1") -> RunContext:
    return RunContext(run_id=run, culture="ko-KR", pack_digest=PACK, endpoints="builtin")


def life(of: Seed, run: str = "run-1", calls: int = 1) -> list[Any]:
    """Every event of a record that becomes a triplet, in order."""
    stages = [stage_completed(of, stage, run, calls=calls) for stage in ("seed", "policy", "candidate", "judge")]
    return [*stages, triplet_accepted(of, run)]
