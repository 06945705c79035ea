"""Binds the run to one culture pack and one base model, and refuses to go on with others."""

from __future__ import annotations

from gyeol.reconcile.condition import ConditionType, day_in_korea
from gyeol.reconcile.draft import Draft
from gyeol.reconcile.phase.settle import settled
from gyeol.reconcile.seen import Job
from gyeol.reconcile.status import ModelStatus, PinnedCulture

_SEALED = ConditionType.DATA_SEALED


def named(draft: Draft) -> bool:
    """Ends a run that names what nobody has, before anything is made for it; once begun, it goes on."""
    if draft.status.culture is None and draft.seen.faults:
        message = "; ".join(f"{fault.path}: {fault.message}" for fault in draft.seen.faults)
        return draft.ended(_SEALED, "UnknownReference", f"{message}; create a new run with another specification")
    return True


def pinned_culture(draft: Draft) -> bool:
    """Binds the run to the pack as it is when the run begins."""
    culture, known, pack = draft.run.spec.culture, draft.status.culture, draft.seen.pack
    if pack is None:
        message = f"no culture pack {culture.name}; check spec.culture.name, or put the pack where the policy service reads packs"
        return draft.blocked(_SEALED, "PackMissing", message)
    wanted = known.digest if known else culture.digest
    if wanted and pack.digest != wanted:
        message = (
            f"the culture pack {culture.name} has digest {pack.digest}, but the run is bound to {wanted}; "
            "restore that version of the pack, or start a new run under another name"
        )
        return draft.blocked(_SEALED, "PackChanged", message)
    if known is None:
        as_of = culture.law_as_of or day_in_korea(draft.now)
        draft.write(culture=PinnedCulture(name=pack.name, digest=pack.digest, law_as_of=as_of))
    return True


def pinned_model(draft: Draft) -> bool:
    """Has the weights of the base model fetched and binds the run to them."""
    uri = draft.run.spec.base_model.uri
    draft.doing("Pending", "FetchingWeights", uri)
    if not settled(Job.WEIGHTS, _SEALED, draft):
        return False
    weights, known = draft.seen.jobs[Job.WEIGHTS], draft.status.baseline
    if known is None:
        draft.write(baseline=ModelStatus(digest=weights.digest, location=weights.location))
    elif known.digest != weights.digest:
        message = (
            f"the base model at {uri} has digest {weights.digest}, but the run is bound to {known.digest}; "
            "restore it, or start a new run under another name"
        )
        return draft.blocked(_SEALED, "BaseModelChanged", message)
    return True
