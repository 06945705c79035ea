"""What can be wrong with an evaluation as a whole.

A single item never raises: it ends `Scored` or `Unscored`.

EvaluateError
├── SuiteError       a suite file or the list of suites cannot be used
├── ModelError       the model endpoint serves another model, or none
└── ResumeError      the output folder holds another evaluation
"""

from __future__ import annotations

from gyeol.chassis.errors import ConflictError, InvalidError


class SuiteError(InvalidError):
    """A suite that does not exist or does not hold together."""


class ModelError(InvalidError):
    """The endpoint does not serve the model that was to be measured."""


class ResumeError(ConflictError):
    """The output folder was begun under other conditions."""
