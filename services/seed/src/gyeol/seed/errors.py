"""What can be wrong with a request for seeds.

InvalidError
+-- RequestInvalidError    a field of the request makes no sense
+-- PackMismatchError      the run is pinned to another state of the culture pack
+-- RoleInvalidError       the models file gives a role that there is not, or one twice
NotFoundError
+-- StratumMissingError    the pack has no such domain, category or type
"""

from __future__ import annotations

from gyeol.chassis.errors import InvalidError, NotFoundError


class RequestInvalidError(InvalidError):
    pass


class PackMismatchError(InvalidError):
    pass


class RoleInvalidError(InvalidError):
    pass


class StratumMissingError(NotFoundError):
    pass
