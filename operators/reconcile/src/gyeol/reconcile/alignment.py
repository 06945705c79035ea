"""AlignmentRun: the one description of a run that both hands carry out."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from gyeol.reconcile.quantity import CultureName, Digest, IsoDate, ModelAddress
from gyeol.reconcile.schema import Described, Metadata
from gyeol.reconcile.spec.data import Data
from gyeol.reconcile.spec.evaluation import Evaluation, Gate, Promotion, Serving
from gyeol.reconcile.spec.training import Training
from gyeol.reconcile.status import AlignmentRunStatus

API_VERSION = "gyeol.dev/v1alpha1"


class Culture(Described):
    """The culture to align with."""

    name: CultureName
    """Culture pack, for example `ko-KR`."""
    digest: Digest = ""
    """Digest of the pack; pinned when the run begins if empty."""
    law_as_of: IsoDate = ""
    """Date on which citations must be in force; empty: the day the run began."""


class BaseModelReference(Described):
    """The model to align."""

    uri: ModelAddress
    """Address of the weights: `hf://`, `s3://`, `pvc://`, `oci://`, `file://`, `gguf:` or `builtin:`."""


class AlignmentRunSpec(Described):
    """What a run is to do. It cannot be changed: a changed specification is another run."""

    culture: Culture
    """The culture to align with."""
    base_model: BaseModelReference
    """The model to align."""
    data: Data
    """What data the run wants and who makes it."""
    training: Training
    """How the candidate model is trained."""
    evaluation: Evaluation
    """What both models are measured on."""
    gate: Gate
    """Which evidence the candidate must bring."""
    promotion: Promotion | None = None
    """Where a passing candidate goes; absent: nowhere."""
    serving: Serving = Serving()
    """How models are served while the run measures them."""
    suspend: bool = False
    """True holds the run: nothing new is started and training is suspended; false goes on. The only field that may change."""


class AlignmentRun(Described):
    """Aligns one model with one culture: data, training, evaluation, gate and promotion."""

    api_version: Literal["gyeol.dev/v1alpha1"]
    """Always `gyeol.dev/v1alpha1`."""
    kind: Literal["AlignmentRun"]
    """Always `AlignmentRun`."""
    metadata: Metadata
    """Name and labels."""
    spec: AlignmentRunSpec
    """What the run is to do."""
    status: AlignmentRunStatus = Field(default=AlignmentRunStatus())
    """What is known about it; written by a hand."""
