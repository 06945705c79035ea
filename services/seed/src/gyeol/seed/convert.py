"""Between the wire and the domain: the only module that speaks both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from gyeol.api.failure.v1 import failure_pb2
from gyeol.api.policy.v1 import pack_pb2
from gyeol.api.seed.v1 import seed_pb2
from gyeol.seed.domain.realism import Realism
from gyeol.seed.domain.score import Unscored
from gyeol.seed.domain.seed import Made, Refusal, Seed, SeedKind
from gyeol.seed.domain.split import Split
from gyeol.seed.domain.stock import Kind, Mold, Probe, Stock
from gyeol.seed.errors import RequestInvalidError
from gyeol.seed.service import Request

STAGE: Final = "seed"
BENIGN_SUFFIX: Final = "+benign"
MOST_SEEDS: Final = 5000

_KINDS: Final = {SeedKind.HARMFUL: seed_pb2.SEED_KIND_HARMFUL, SeedKind.BENIGN: seed_pb2.SEED_KIND_BENIGN}
_SPLITS: Final = {Split.TRAIN: seed_pb2.SPLIT_TRAIN, Split.HELD_OUT: seed_pb2.SPLIT_HELD_OUT}
_REASONS: Final[dict[Refusal | None, failure_pb2.DropReason.ValueType]] = {
    Refusal.DUPLICATE: failure_pb2.DROP_REASON_DUPLICATE,
    Refusal.UNREALISTIC: failure_pb2.DROP_REASON_UNREALISTIC,
    Refusal.FILLING: failure_pb2.DROP_REASON_FILLING,
}


def stock_from_pb(pack: pack_pb2.Pack, molds: Mapping[str, pack_pb2.ListMoldsResponse]) -> Stock:
    """Puts a pack's taxonomy and the molds of its categories together."""
    return Stock(
        culture=pack.name,
        digest=pack.digest,
        kinds=tuple(
            Kind(
                id=kind.id,
                category=category.id,
                domain=domain.number,
                molds=tuple(
                    _mold(mold, molds[category.id]) for mold in molds[category.id].molds if mold.type == kind.id
                ),
                probes=tuple(
                    Probe(probe.id, probe.type, probe.text)
                    for probe in molds[category.id].probes
                    if probe.type == kind.id
                ),
            )
            for domain in pack.domains
            for category in domain.categories
            for kind in category.types
        ),
        markers=_markers(marker for reply in molds.values() for marker in reply.markers),
    )


def _markers(markers: Iterable[pack_pb2.Marker]) -> dict[str, frozenset[str]]:
    words: dict[str, frozenset[str]] = {}
    for marker in markers:
        words[marker.kind] = words.get(marker.kind, frozenset()).union(marker.terms)
    return words


def _mold(mold: pack_pb2.Mold, reply: pack_pb2.ListMoldsResponse) -> Mold:
    slots = (*mold.required, *mold.optional)
    own = {slot: tuple(mold.slots[slot].values) for slot in slots if slot in mold.slots}
    shared = {slot: tuple(reply.slots[slot].values) for slot in slots if slot in reply.slots}
    return Mold(
        id=mold.id,
        type=mold.type,
        text=mold.text,
        required=tuple(mold.required),
        optional=tuple(mold.optional),
        values={**shared, **own},
        deciding=frozenset(mold.deciding),
    )


def request_from_pb(message: seed_pb2.GenerateSeedsRequest) -> Request:
    """Parses a request of the gRPC door.

    Raises:
      RequestInvalidError: Names the field, its value and what it may be.
    """
    stratum, kind = _stratum_and_kind(message.stratum, message.kind)
    split = next((split for split, number in _SPLITS.items() if number == message.split), None)
    if split is None:
        raise RequestInvalidError("split is not set: use SPLIT_TRAIN or SPLIT_HELD_OUT")
    return Request(
        culture=message.culture,
        stratum=stratum,
        kind=kind,
        split=split,
        random_seed=message.random_seed,
        offset=message.offset,
        count=_count(message.count),
        endpoints=message.endpoints,
    )


def run_request_from_pb(message: seed_pb2.SeedsRequested) -> Request:
    """Parses a request of a run: its seeds are for training.

    Raises:
      RequestInvalidError: Names the field, its value and what it may be.
    """
    if not message.run.run_id:
        raise RequestInvalidError("run.run_id is empty: send the run's context")
    stratum, kind = _stratum_and_kind(message.stratum, message.kind)
    return Request(
        culture=message.run.culture,
        stratum=stratum,
        kind=kind,
        split=Split.TRAIN,
        random_seed=message.run.random_seed,
        offset=message.offset,
        count=_count(message.count),
        pack_digest=message.run.pack_digest,
        endpoints=message.run.endpoints,
        payer=message.run.run_id if message.run.budgeted else "",
        id=f"{message.run.run_id}/{message.stratum}@{message.offset}/{STAGE}",
    )


def seed_to_pb(seed: Seed, stratum: str) -> seed_pb2.Seed:
    """`stratum` is the one asked for; a seed of no named stratum belongs to its category's."""
    named = stratum if stratum and stratum != seed.type else f"{seed.domain}/{seed.category}"
    return seed_pb2.Seed(
        id=seed.id,
        culture=seed.culture,
        pack_digest=seed.pack_digest,
        domain=seed.domain,
        category=seed.category,
        type=seed.type,
        mold_id=seed.mold,
        slots=seed.slots,
        text=seed.text,
        kind=_KINDS[seed.kind],
        split=_SPLITS[seed.split],
        realism=_realism_to_pb(seed.realism),
        filler=seed.filler,
        stratum=named + (BENIGN_SUFFIX if seed.kind is SeedKind.BENIGN else ""),
    )


def _realism_to_pb(realism: Realism) -> seed_pb2.Realism:
    measured = seed_pb2.Realism(taxonomy_fit=realism.taxonomy_fit, depth=realism.depth)
    if isinstance(realism.plausibility, Unscored):
        unscored = realism.plausibility
        measured.plausibility_unscored.reason = failure_pb2.UnscoredReason.Value(
            f"UNSCORED_REASON_{unscored.reason.value}"
        )
        measured.plausibility_unscored.detail = unscored.detail
    else:
        measured.plausibility = realism.plausibility
    return measured


def refused_to_pb(made: Made, stratum: str) -> seed_pb2.RefusedSeed:
    return seed_pb2.RefusedSeed(seed=seed_to_pb(made.seed, stratum), reason=reason_to_pb(made), detail=made.detail)


def reason_to_pb(made: Made) -> failure_pb2.DropReason.ValueType:
    """Unspecified for a seed that was not refused, or could not be judged."""
    return _REASONS.get(made.refusal, failure_pb2.DROP_REASON_UNSPECIFIED)


def _stratum_and_kind(stratum: str, number: seed_pb2.SeedKind.ValueType) -> tuple[str, SeedKind]:
    bare = stratum.removesuffix(BENIGN_SUFFIX)
    kind = next((kind for kind, known in _KINDS.items() if known == number), None)
    if bare != stratum:
        if kind is SeedKind.HARMFUL:
            raise RequestInvalidError(f"stratum {stratum!r} is benign, kind is SEED_KIND_HARMFUL: make them agree")
        kind = SeedKind.BENIGN
    if kind is None:
        raise RequestInvalidError("kind is not set: use SEED_KIND_HARMFUL or SEED_KIND_BENIGN")
    return bare, kind


def _count(count: int) -> int:
    if count > MOST_SEEDS:
        raise RequestInvalidError(f"count = {count}: ask for at most {MOST_SEEDS} seeds at a time")
    return count
