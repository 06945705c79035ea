"""What a culture author types: `gyeol pack ...` and `gyeol law ...`."""

from gyeol.policy.command.law import law
from gyeol.policy.command.pack import pack

__all__ = ["law", "pack"]
