"""Stored triplets as rows of a dataset, and datasets as protos."""

from __future__ import annotations

from gyeol.api.judge.v1.judge_pb2 import Triplet
from gyeol.api.ledger.v1 import ledger_pb2 as pb
from gyeol.api.seed.v1.seed_pb2 import SeedKind
from gyeol.ledger.convert.event import whole
from gyeol.ledger.domain.dataset import Dataset, Member
from gyeol.ledger.domain.manifest import PolicySource, Provenance, Source
from gyeol.ledger.domain.overlap import EvaluationItem
from gyeol.ledger.domain.row import Row


def row_from_member(member: Member) -> tuple[Row, Provenance]:
    """The row of a stored triplet, and what it was made from."""
    triplet = whole(member.payload, member.apart)
    seed = triplet.seed
    benign = seed.kind == SeedKind.SEED_KIND_BENIGN
    row = Row(
        prompt=tuple({"role": message.role, "content": message.content} for message in triplet.prompt),
        chosen=({"role": "assistant", "content": triplet.chosen},),
        rejected=({"role": "assistant", "content": triplet.rejected},),
        kind="benign" if benign else "harmful",
        stratum=seed.stratum,
        category=seed.category,
        type=seed.type,
        seed_id=seed.id,
        mold_id=seed.mold_id,
        triplet_id=triplet.id,
        policy_version=triplet.policy_version,
        policy_digest=triplet.policy_digest,
        chosen_writer=triplet.chosen_writer,
        law_as_of=triplet.law_as_of,
        citations=_citations(triplet),
    )
    target = triplet.mined.target
    origin = Provenance(
        stratum=seed.stratum,
        benign=benign,
        culture=seed.culture,
        pack_digest=seed.pack_digest,
        law_as_of=triplet.law_as_of,
        policy=PolicySource(triplet.policy_id, triplet.policy_version, triplet.policy_digest),
        target=Source("template", "builtin")
        if triplet.mined.rejected_source == "template"
        else Source(target.name, target.model, target.revision),
        writer=Source(triplet.chosen_writer, _writer_model(triplet)),
        judges=tuple(Source(verdict.judge, verdict.model) for verdict in triplet.verdicts),
    )
    return row, origin


def texts_from_member(member: Member) -> tuple[str, ...]:
    """The question, and the prompt it was asked with."""
    triplet = Triplet.FromString(member.payload)
    asked = (message.content for message in triplet.prompt if message.role == "user")
    return tuple(dict.fromkeys((triplet.seed.text, *asked)))


def item_from_pb(item: pb.EvaluationItem) -> EvaluationItem:
    return EvaluationItem(item.suite, item.item_id, item.text)


def dataset_to_pb(dataset: Dataset) -> pb.Dataset:
    return pb.Dataset(
        digest=dataset.digest,
        location=dataset.location,
        rows=dataset.rows,
        benign_rows=dataset.benign_rows,
        manifest_json=dataset.manifest_json,
    )


def _citations(triplet: Triplet) -> tuple[str, ...]:
    cited = [
        f"{citation.law} {citation.article}".strip()
        for ranked in triplet.candidates
        if ranked.candidate.writer == triplet.chosen_writer
        for citation in ranked.candidate.citations
    ]
    return tuple(dict.fromkeys(cited))


def _writer_model(triplet: Triplet) -> str:
    models = (r.candidate.model for r in triplet.candidates if r.candidate.writer == triplet.chosen_writer)
    return next(models, "")
