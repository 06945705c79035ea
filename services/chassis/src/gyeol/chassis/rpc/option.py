"""Channel options that both ends share."""

from __future__ import annotations

from typing import Final

MESSAGE_BYTES: Final = 16 * 1024 * 1024
"""Largest message of a call; a larger one is refused with RESOURCE_EXHAUSTED."""

LIMITS: Final[tuple[tuple[str, int | str], ...]] = (
    ("grpc.max_receive_message_length", MESSAGE_BYTES),
    ("grpc.max_send_message_length", MESSAGE_BYTES),
)
