"""A key-value store whose first writer wins: what makes an answer that cannot be repeated repeatable.

`Bus.bucket` opens one that all replicas share.
"""

from gyeol.chassis.store.keyvalue import KeyValue, Memory

__all__ = ["KeyValue", "Memory"]
