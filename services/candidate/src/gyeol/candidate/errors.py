"""What can go wrong while mining and writing.

    GyeolError
    +-- InvalidError
    |   +-- RecordError          a record lacks what mining or writing needs
    |   +-- WriterUnknownError   a run names a writer that is neither built in nor in its models file
    +-- NotReadyError
    |   +-- WritersFailedError   no writer gave an answer, so the record comes back later
    |   +-- ScoreMissingError    the judges could not be reached, so the record comes back later
    +-- InternalError
        +-- PhraseError          a phrase file of this package is wrong

Their messages never hold text of a record.
"""

from __future__ import annotations

from gyeol.chassis.errors import InternalError, InvalidError, NotReadyError


class RecordError(InvalidError):
    """A record lacks what mining or writing needs."""


class WriterUnknownError(InvalidError):
    """A run names a writer that nobody knows."""


class WritersFailedError(NotReadyError):
    """No writer gave an answer."""


class ScoreMissingError(NotReadyError):
    """The judges could not be reached."""


class PhraseError(InternalError):
    """A phrase file is wrong."""
