"""What keeps a training from starting or from being believed.

GyeolError
├── InvalidError
│   ├── ParameterError     a training parameter is wrong, or impossible on this machine
│   ├── DatasetError       the dataset is not the one that was sealed
│   ├── WeightsError       the base model's folder cannot be used
│   └── PreflightError     the dataset cannot train this model as it is
└── InternalError
    ├── CheckpointError    a later attempt found nothing to go on from
    └── DivergedError      the loss is not a number
"""

from __future__ import annotations

from gyeol.chassis.errors import InternalError, InvalidError


class ParameterError(InvalidError):
    """Names the parameter, its value and the remedy."""


class DatasetError(InvalidError):
    """Names the file that does not match, or is missing."""


class WeightsError(InvalidError):
    """Names the folder and what it lacks."""


class PreflightError(InvalidError):
    """Names every finding that rules training out."""


class CheckpointError(InternalError):
    """A retry without a complete checkpoint would silently begin anew."""


class DivergedError(InternalError):
    """The loss became infinite or not a number."""
