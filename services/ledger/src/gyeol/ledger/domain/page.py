"""Paging by position: a page begins after the last row of the one before, however many rows were added meanwhile."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from gyeol.ledger.errors import FieldInvalidError

DEFAULT_SIZE: Final = 50
LARGEST: Final = 500


@dataclass(frozen=True, slots=True)
class Page:
    size: int
    after: tuple[Any, ...] = ()
    """Sort key of the last row seen; empty: from the start."""


def page(size: int, token: str, *kinds: Callable[[str], object]) -> Page:
    """The page a client asks for.

    Args:
      size: Rows; 0 takes the default.
      token: As returned with the page before; empty for the first.
      kinds: How the parts of the sort key are read.

    Raises:
      FieldInvalidError: The size is too large, or the token is none of ours.
    """
    if size > LARGEST:
        raise FieldInvalidError("page_size", size, "too many rows for one page", f"Ask for at most {LARGEST}.")
    return Page(size or DEFAULT_SIZE, _position(token, kinds) if token else ())


def token_after(*key: str) -> str:
    """The token of the page that begins after the row with this sort key."""
    return base64.urlsafe_b64encode(json.dumps(key, ensure_ascii=False).encode()).decode()


def _position(token: str, kinds: tuple[Callable[[str], object], ...]) -> tuple[object, ...]:
    try:
        key = json.loads(base64.urlsafe_b64decode(token.encode()))
        return tuple(kind(part) for kind, part in zip(kinds, key, strict=True))
    except (ValueError, TypeError):
        raise FieldInvalidError(
            "page_token", token, "not a token of this list", "Send next_page_token as it was returned, or none."
        ) from None
