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

from gyeol.chassis.errors import ConflictError, InternalError, InvalidError, NotFoundError, NotReadyError


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
