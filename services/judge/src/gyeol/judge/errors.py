"""What can go wrong while judging.

    GyeolError
    +-- InvalidError
    |   +-- RecordError        a record lacks what judging needs
    |   +-- JudgeUnknownError  a run names a judge that is neither built in nor in its models file
    +-- NotReadyError
    |   +-- VoteMissingError   a judge could not be reached, so the record is judged again later
    |   +-- PeerError          a service that is asked did not answer
    +-- InternalError
        +-- LexiconError       a lexicon file of this package is wrong

Their messages never hold text of a record.
"""

from __future__ import annotations

from gyeol.chassis.errors import InternalError, InvalidError, NotReadyError


class RecordError(InvalidError):
    """A record lacks what judging needs."""


class JudgeUnknownError(InvalidError):
    """A run names a judge that nobody knows."""


class VoteMissingError(NotReadyError):
    """A judge could not be reached."""


class PeerError(NotReadyError):
    """A service that is asked did not answer."""


class LexiconError(InternalError):
    """A lexicon file is wrong."""
