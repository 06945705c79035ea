"""What can go wrong at a desk. Each message names the fact and ends with the remedy.

GyeolError
+-- InvalidError
|   +-- InputError          a file or option is wrong
+-- NotFoundError
|   +-- NothingThereError   no such run, report or model here
+-- ConflictError
|   +-- BusyError           another gyeol uses the state folder
+-- NotReadyError
|   +-- ServiceDownError    a service or the broker does not come up
|   +-- EndpointError       a model endpoint cannot be used
+-- InternalError
    +-- StoppedError        the run cannot go on now; started again, it resumes
"""

from __future__ import annotations

import errno
from typing import Final

from gyeol.chassis.errors import ConflictError, GyeolError, InternalError, InvalidError, NotFoundError, NotReadyError


class InputError(InvalidError):
    """A file or an option is wrong."""


class NothingThereError(NotFoundError):
    """There is no such thing in this state folder."""


class BusyError(ConflictError):
    """Another process uses the state folder or a port."""


class ServiceDownError(NotReadyError):
    """A service or the broker does not come up or stay up."""


class EndpointError(NotReadyError):
    """A model endpoint cannot be used."""


class StoppedError(InternalError):
    """The run cannot go on now. Started again, it resumes."""


_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_UNUSABLE: Final = frozenset(
    {
        errno.EACCES,
        errno.EEXIST,
        errno.EISDIR,
        errno.ELOOP,
        errno.ENAMETOOLONG,
        errno.ENOENT,
        errno.ENOTDIR,
        errno.EPERM,
        errno.EROFS,
    }
)


def refusal(error: OSError) -> GyeolError:
    """What the operating system refuses, as an error that names the path and the remedy."""
    why = (error.strerror or str(error)).lower()
    where = f"{error.filename}: " if error.filename is not None else ""
    if error.errno in _FULL:
        return StoppedError(f"{where}{why}; free some space there, then give the same command again")
    if error.errno in _UNUSABLE and where:
        return InputError(
            f"{where}{why}; correct the path or its permissions, or name another place (GYEOL_HOME names the state folder)"
        )
    return StoppedError(f"{where}{why}; give the same command again")
