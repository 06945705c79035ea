"""What it means when the client library says no."""

from __future__ import annotations

import re
from typing import Final

import nats.errors
import nats.js.errors

from gyeol.chassis.errors import DeniedError, GyeolError, InvalidError, NotReadyError

FAILURES: Final = (OSError, nats.errors.Error)
"""Everything that nats-py raises when the broker does not answer or says no; a TimeoutError is an OSError."""

_VIOLATION: Final = re.compile(r'permissions violation for (?:publish|subscription) to "(?P<subject>[^"]+)"', re.I)


class Refusals:
    """Tells a missing permission, which only shows as a timeout, from a broker that is away.

    Args:
      name: The service that connected.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._subjects: set[str] = set()
        self.user = False
        """Whether the server turned the user away. Kept, because the next attempt may end in a reset connection:
        a server that closes with bytes unread resets, and its last words are lost."""

    def note(self, said: str) -> None:
        """Remembers what the server said out of band."""
        if violation := _VIOLATION.search(said):
            self._subjects.add(violation["subject"].lower())
        elif "authorization" in said.lower():
            self.user = True

    def forget(self) -> None:
        """A new connection may have other permissions."""
        self._subjects.clear()
        self.user = False

    def denied(self, subject: str) -> DeniedError | None:
        """The error to raise when the server refused the subject, or one that begins so."""
        refused = next((refused for refused in self._subjects if refused.startswith(subject.lower())), None)
        if refused is None:
            return None
        return DeniedError(f"the NATS user of {self._name} may not use {refused}: extend the permissions of this user")

    def transient(self, error: Exception, subject: str) -> bool:
        """Whether the same request may succeed later."""
        return isinstance(error, FAILURES) and not _permanent(error) and self.denied(subject) is None

    def explained(self, error: Exception, subject: str) -> GyeolError:
        """The failure in our words."""
        if (denied := self.denied(subject)) is not None:
            return denied
        if isinstance(error, nats.js.errors.APIError):
            if _permanent(error):
                return InvalidError(f"the broker refuses {subject}: {error.description}")
            return NotReadyError(f"the broker cannot take {subject} now: {error.description}")
        return NotReadyError(f"the broker did not answer on {subject}: {type(error).__name__}")


def _permanent(error: Exception) -> bool:
    """An answer of JetStream that will stay the same; 5xx means that it is starting, full or electing a leader."""
    return isinstance(error, nats.js.errors.APIError) and not isinstance(
        error, nats.js.errors.ServiceUnavailableError | nats.js.errors.ServerError
    )
