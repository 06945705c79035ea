"""API tokens. Only their Argon2 hashes are kept; a token is shown once, when it is made.

A token is `gyeol_<name>_<secret>`: the name leads to the one hash it has to match, so a wrong token costs one comparison.
The secret has 256 random bits. Nobody guesses it, so the hash may be cheap enough to check at each request's start.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from gyeol.gateway.auth.principal import Principal, Role, role_of
from gyeol.gateway.errors import AuthSettingError, UnknownCallerError

PREFIX = "gyeol"
_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{0,62}")
_REMEDY = "Each token needs `name`, `role` and `hash`, as `python -m gyeol.gateway token` prints them."


@dataclass(frozen=True, slots=True)
class Entry:
    name: str
    role: Role
    hash: str


class Tokens:
    """The tokens of a file; changes of the file count from the next request on."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._stamp: tuple[int, int] = (0, 0)
        self._entries: dict[str, Entry] = {}
        self._checked: dict[str, Entry] = {}
        self.reload()

    def reload(self) -> None:
        """Reads the file unless it is unchanged.

        Raises:
          AuthSettingError: It cannot be read; names the entry and the remedy.
        """
        try:
            status = self._file.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            if stamp == self._stamp:
                return
            content = yaml.safe_load(self._file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise _unusable(self._file, f"cannot be read ({type(error).__name__})") from None
        self._entries = {entry.name: entry for entry in _entries(self._file, content)}
        self._checked = {}
        self._stamp = stamp

    def principal(self, token: str) -> Principal:
        """Whose token it is. Raises: UnknownCallerError."""
        self.reload()
        fingerprint = hashlib.sha256(token.encode()).hexdigest()
        entry = self._checked.get(fingerprint)
        if entry is None:
            entry = self._match(token)
            self._checked[fingerprint] = entry
        return Principal(entry.name, entry.role)

    def known(self, name: str, hash_: str) -> Principal | None:
        """The holder of a session that was opened with a token, unless the token was taken away since."""
        self.reload()
        entry = self._entries.get(name)
        return Principal(entry.name, entry.role) if entry and fingerprint_of(entry) == hash_ else None

    def fingerprint(self, name: str) -> str:
        return fingerprint_of(self._entries[name])

    def _match(self, token: str) -> Entry:
        from argon2 import PasswordHasher
        from argon2.exceptions import Argon2Error, InvalidHashError

        _, _, rest = token.partition("_")
        name, _, _ = rest.rpartition("_")
        entry = self._entries.get(name)
        if entry is None:
            raise UnknownCallerError("unknown token")
        try:
            PasswordHasher().verify(entry.hash, token)
        except (Argon2Error, InvalidHashError):
            raise UnknownCallerError("unknown token") from None
        return entry


def fingerprint_of(entry: Entry) -> str:
    """What a session remembers of a token: enough to notice that it changed, nothing to sign in with."""
    return hashlib.sha256(f"{entry.name}\0{entry.role.word}\0{entry.hash}".encode()).hexdigest()[:32]


def made(name: str, role: Role) -> tuple[str, Entry]:
    """A new token and what is kept of it.

    Raises:
      AuthSettingError: The name cannot be part of a token.
    """
    from argon2 import PasswordHasher

    if not _NAME.fullmatch(name):
        raise AuthSettingError("--name", name, "not usable in a token", "Use 1 to 63 of a-z, 0-9, '.' and '-'.")
    token = f"{PREFIX}_{name}_{secrets.token_urlsafe(32).replace('_', '-')}"
    hasher = PasswordHasher(time_cost=1, memory_cost=8 * 1024, parallelism=1)
    return token, Entry(name, role, hasher.hash(token))


def _entries(file: Path, content: Any) -> list[Entry]:
    listed = content.get("tokens") if isinstance(content, dict) else None
    if not isinstance(listed, list) or not listed:
        raise _unusable(file, "holds no list `tokens`")
    found = []
    for number, one in enumerate(listed):
        given = one if isinstance(one, dict) else {}
        role = role_of(str(given.get("role")))
        name, hash_ = str(given.get("name")), str(given.get("hash"))
        if role is None or not _NAME.fullmatch(name) or not hash_.startswith("$argon2"):
            raise _unusable(file, f"tokens[{number}] (name {name!r}, role {given.get('role')!r}) is not complete")
        found.append(Entry(name, role, hash_))
    return found


def _unusable(file: Path, problem: str) -> AuthSettingError:
    return AuthSettingError("GATEWAY_TOKENS_FILE", file, problem, _REMEDY)
