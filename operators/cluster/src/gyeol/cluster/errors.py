"""What the cluster hand can run into.

GyeolError
├── ImageUnreadableError  an image cannot be read now, or not from here
└── ImageDamagedError     what an image holds is not what it says

ClusterError
├── GoneError         the object is not there
├── StaleError        somebody wrote it in between; look again
├── RefusedError      the API server does not take the object: trying again cannot help
├── KindMissingError  a kind that is needed is not installed
└── UnreachableError  the API server answers with an error of its own, or not at all
"""

from __future__ import annotations

from gyeol.chassis.errors import ConflictError, GyeolError, InvalidError, NotFoundError, NotReadyError


class ImageUnreadableError(NotReadyError):
    """An image cannot be read now, or not from here; the text says what to do."""


class ImageDamagedError(InvalidError):
    """What an image holds is not what it says it holds."""


class ClusterError(GyeolError):
    """Every error of a request to the API server."""


class GoneError(ClusterError, NotFoundError):
    """The object is not there."""


class StaleError(ClusterError, ConflictError):
    """Somebody wrote it in between; look again."""


class RefusedError(ClusterError, InvalidError):
    """The API server does not take the object."""


class KindMissingError(ClusterError, InvalidError):
    """A kind that is needed is not installed; the text names the remedy."""


class UnreachableError(ClusterError, NotReadyError):
    """The API server cannot be asked now."""
