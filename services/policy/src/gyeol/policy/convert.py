"""Between the wire and the domain: the only module that speaks both."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Final

from gyeol.api.policy.v1 import law_pb2, pack_pb2, policy_pb2
from gyeol.api.seed.v1.seed_pb2 import SEED_KIND_BENIGN, Seed
from gyeol.policy.domain.citation.checker import Citation, Mention, Report
from gyeol.policy.domain.citation.verdict import Finding, Verdict
from gyeol.policy.domain.mold import Mold, MoldSet, Probe
from gyeol.policy.domain.pack import Pack
from gyeol.policy.domain.rendering import Passage, Rendered
from gyeol.policy.domain.taxonomy import Category, Rubric
from gyeol.policy.errors import SeedInvalidError
from gyeol.policy.service import Question

_VERDICTS: Final = {
    Verdict.VERIFIED: law_pb2.CITATION_VERDICT_VERIFIED,
    Verdict.NOT_IN_FORCE: law_pb2.CITATION_VERDICT_NOT_IN_FORCE,
    Verdict.NOT_FOUND: law_pb2.CITATION_VERDICT_NOT_FOUND,
    Verdict.UNCHECKED: law_pb2.CITATION_VERDICT_UNCHECKED,
}


def normal(text: str) -> str:
    """Returns a text as NFC; places in a report count its characters."""
    return unicodedata.normalize("NFC", text)


def question_from_pb(seed: Seed) -> Question:
    """Parses a seed.

    Raises:
      SeedInvalidError: A field that the policy depends on is missing.
    """
    for field in ("id", "culture", "category", "type", "mold_id"):
        if not getattr(seed, field):
            raise SeedInvalidError(f"seed.{field} is empty: send the seed as the seed service made it")
    return Question(
        culture=seed.culture,
        pack_digest=seed.pack_digest,
        category=seed.category,
        type=seed.type,
        mold=seed.mold_id,
        slots=dict(seed.slots),
        benign=seed.kind == SEED_KIND_BENIGN,
    )


def rendered_to_pb(pack: Pack, rendered: Rendered) -> policy_pb2.RenderedPolicy:
    policy = rendered.policy
    populations = [pack.populations[identifier] for identifier in policy.populations]
    return policy_pb2.RenderedPolicy(
        id=f"{pack.manifest.name}/{policy.category}",
        version=policy.version,
        digest=rendered.digest,
        category=policy.category,
        type=rendered.type,
        system_prompt=rendered.system_prompt,
        principles=[
            policy_pb2.Principle(id=principle.id, text_ko=principle.text_ko, enforces=principle.enforces)
            for principle in policy.core_principles
        ],
        applies_when=policy.applies_when,
        not_applies_when=policy.not_applies_when,
        **{part: [passage_to_pb(passage) for passage in passages] for part, passages in rendered.passages.items()},
        register=policy.register,
        never_say=policy.never_say,
        rubrics=[rubric_to_pb(rubric) for rubric in pack.rubrics.get(policy.category, ())],
        populations=list(dict.fromkeys(term for p in populations for term in (p.preferred_ko, *p.terms_ko))),
        institutions=[pack.institutions[identifier].name_ko for identifier in policy.institutions],
        statutes=[pack.statutes[use.statute].name_ko for use in policy.statutes],
        attacks=[policy_pb2.AttackStrategy(id=name, wrappers=held) for name, held in rendered.attacks.items()],
    )


def passage_to_pb(passage: Passage) -> policy_pb2.Passage:
    return policy_pb2.Passage(
        text=passage.text, statute=passage.statute, article=passage.article, institution=passage.institution
    )


def rubric_to_pb(rubric: Rubric) -> policy_pb2.Rubric:
    return policy_pb2.Rubric(id=rubric.id, question_ko=rubric.question_ko, question_en=rubric.question_en)


def pack_to_pb(pack: Pack) -> pack_pb2.Pack:
    return pack_pb2.Pack(
        name=pack.manifest.name,
        version=pack.manifest.version,
        digest=pack.digest,
        language=pack.manifest.language,
        law_as_of=pack.manifest.law_as_of,
        skeleton=pack.manifest.skeleton,
        domains=[
            pack_pb2.Domain(
                number=domain.number,
                id=domain.id,
                name_ko=domain.name_ko,
                name_en=domain.name_en,
                categories=[_category_to_pb(pack, category) for category in domain.categories],
            )
            for domain in pack.domains
        ],
    )


def _category_to_pb(pack: Pack, category: Category) -> pack_pb2.Category:
    return pack_pb2.Category(
        id=category.id,
        name_ko=category.name_ko,
        name_en=category.name_en,
        types=[pack_pb2.HarmType(id=kind.id, name_ko=kind.name_ko, name_en=kind.name_en) for kind in category.types],
        rubrics=[rubric_to_pb(rubric) for rubric in pack.rubrics.get(category.id, ())],
    )


def molds_to_pb(pack: Pack, group: MoldSet, probes: tuple[Probe, ...]) -> pack_pb2.ListMoldsResponse:
    return pack_pb2.ListMoldsResponse(
        molds=[_mold_to_pb(mold, pack.deciding(mold)) for mold in group.molds],
        slots={slot: pack_pb2.SlotValues(values=values) for slot, values in group.slots.items()},
        probes=[_probe_to_pb(probe) for probe in probes],
        pack_digest=pack.digest,
        markers=[pack_pb2.Marker(kind=marker.kind, terms=marker.terms) for marker in pack.local_words],
    )


def _mold_to_pb(mold: Mold, deciding: Iterable[str]) -> pack_pb2.Mold:
    return pack_pb2.Mold(
        id=mold.id,
        type=mold.type,
        text=mold.text,
        required=mold.required,
        optional=mold.optional,
        register=mold.register,
        slots={slot: pack_pb2.SlotValues(values=values) for slot, values in mold.slots.items()},
        deciding=deciding,
    )


def _probe_to_pb(probe: Probe) -> pack_pb2.Probe:
    return pack_pb2.Probe(
        id=probe.id,
        type=probe.type,
        text=probe.text,
        register=probe.register,
        looks_like=probe.looks_like,
        replies=probe.reply,
    )


def questions_to_pb(pack: Pack) -> pack_pb2.ListQuestionsResponse:
    return pack_pb2.ListQuestionsResponse(
        questions=[
            pack_pb2.Question(
                id=question.id,
                category=question.category,
                question=question.question,
                choices=question.choices,
                answer=question.answer,
            )
            for question in pack.questions
        ]
    )


def report_to_pb(report: Report) -> policy_pb2.VerifyCitationsResponse:
    return policy_pb2.VerifyCitationsResponse(
        citations=[_citation_to_pb(citation) for citation in report.citations],
        institutions=[_mention_to_pb(mention) for mention in report.institutions],
    )


def _citation_to_pb(citation: Citation) -> law_pb2.Citation:
    finding = citation.finding
    return law_pb2.Citation(
        text=citation.text,
        start=citation.start,
        end=citation.end,
        law=finding.law,
        law_id=finding.law_id,
        article=citation.article,
        verdict=_VERDICTS[finding.verdict],
        reason=finding.reason,
        suggestion=finding.suggestion,
    )


def _mention_to_pb(mention: Mention) -> law_pb2.InstitutionMention:
    return law_pb2.InstitutionMention(
        text=mention.text,
        start=mention.start,
        end=mention.end,
        institution=mention.institution,
        verdict=_VERDICTS[mention.finding.verdict],
        reason=mention.finding.reason,
        suggestion=mention.finding.suggestion,
    )


def article_to_pb(finding: Finding, article: str) -> policy_pb2.GetArticleResponse:
    return policy_pb2.GetArticleResponse(
        law=finding.law,
        law_id=finding.law_id,
        article=article,
        heading=finding.heading,
        verdict=_VERDICTS[finding.verdict],
        reason=finding.reason,
        in_force_from=finding.since,
    )
