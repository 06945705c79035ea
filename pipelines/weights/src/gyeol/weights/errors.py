"""What can be wrong with weights, where they come from, or what they are made from.

AddressError     the address cannot be read or names a scheme that is not known
SourceError      there is nothing usable at the address
DamagedError     a file is truncated, altered or unreadable
UnsafeError      a file may run code when it is loaded
ReachError       the source does not answer now: try again
PeerError        a service that is needed does not answer: try again
"""

from __future__ import annotations

from gyeol.chassis.errors import DeniedError, InvalidError, NotReadyError


class AddressError(InvalidError):
    pass


class SourceError(InvalidError):
    pass


class DamagedError(InvalidError):
    pass


class UnsafeError(DeniedError):
    pass


class ReachError(NotReadyError):
    pass


class PeerError(NotReadyError):
    pass
