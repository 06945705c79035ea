"""What data a run wants and who makes it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from gyeol.reconcile.quantity import Count, Currency, Name, NotNegativeDecimal, PositiveInt, ShareDecimal
from gyeol.reconcile.schema import Described

BUILTIN = "builtin"
BUILTIN_WRITERS = ("statute-first", "procedure-first", "person-first")
BUILTIN_JUDGES = ("safety", "grounding", "register")


class Target(Described):
    """How many accepted triplets a run wants, and how far it may go for them."""

    accepted_per_stratum: PositiveInt
    """Triplets about harm wanted in each stratum; benign ones come on top, see `benignShare`."""
    max_candidates: PositiveInt
    """Hard ceiling: seeds that may be put through the pipeline, all strata together."""
    strata: Literal["L1", "L2"]
    """What a stratum is: `L1` a domain of the taxonomy, `L2` a category."""
    minimum_per_stratum: Count = 0
    """Fewest accepted triplets with which a stratum goes on to training; below it the run fails instead of training on less."""

    @model_validator(mode="after")
    def _minimum_within_target(self) -> Target:
        if self.minimum_per_stratum > self.accepted_per_stratum:
            raise ValueError(
                f"minimumPerStratum {self.minimum_per_stratum} is above acceptedPerStratum {self.accepted_per_stratum}; lower it"
            )
        return self


class EndpointsReference(Described):
    """Where writers and judges are defined."""

    name: Name
    """`builtin`, or the name of a models file (local) or of a Secret-backed ConfigMap (cluster)."""


class Budget(Described):
    """What the model calls of a run may cost. A reservation is made before each call."""

    money: NotNegativeDecimal | None = None
    """Most money, a decimal string; "0" allows only calls that are known to be free, absent sets no limit."""
    currency: Currency = "USD"
    """ISO 4217 code of the money."""
    tokens: Count | None = None
    """Most tokens, prompt and completion together; absent sets no limit."""


class Data(Described):
    """The data of a run: from seeds to accepted triplets."""

    target: Target
    """How many triplets are wanted."""
    endpoints_ref: EndpointsReference
    """Where writers and judges are defined."""
    target_model: Name = "base"
    """Model whose unsafe answers become `rejected`: `base`, or a name in the models file."""
    writers: Annotated[tuple[Name, ...], Field(min_length=1, max_length=8)]
    """Who writes the candidates: built-in writers or names in the models file."""
    judges: Annotated[tuple[Name, ...], Field(min_length=1, max_length=8)]
    """Who judges: built-in judges or names in the models file."""
    decision: Literal["Unanimous", "Majority"] = "Unanimous"
    """How the panel decides."""
    benign_share: ShareDecimal = "0.4"
    """Share of benign pairs among all, against over-refusal: a decimal string from "0" to below "1"."""
    review: Literal["None", "Disagreements", "All"] = "Disagreements"
    """Which accepted triplets a person must review before the dataset is sealed."""
    budget: Budget = Budget()
    """What the model calls may cost."""
    random_seed: Count = 0
    """Seed of every pseudo-random choice of the run."""

    @model_validator(mode="after")
    def _known_builtins(self) -> Data:
        for noun, names, known in (
            ("writers", self.writers, BUILTIN_WRITERS),
            ("judges", self.judges, BUILTIN_JUDGES),
        ):
            if len(set(names)) != len(names):
                raise ValueError(f"{noun} names the same one twice; name each once")
            unknown = [name for name in names if name not in known]
            if self.endpoints_ref.name == BUILTIN and unknown:
                raise ValueError(
                    f"{noun} names '{unknown[0]}', which is not built in; "
                    f"use {', '.join(known)}, or name a models file in endpointsRef.name"
                )
        if self.endpoints_ref.name == BUILTIN and self.target_model != "base":
            raise ValueError(
                f"targetModel names '{self.target_model}', but the built-in endpoints define no model; "
                "use base, or name a models file in endpointsRef.name"
            )
        return self
