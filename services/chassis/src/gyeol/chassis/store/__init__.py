"""A key-value store whose first writer wins: what makes an answer that cannot be repeated repeatable."""

from gyeol.chassis.store.bucket import Bucket
from gyeol.chassis.store.keyvalue import KeyValue, Memory

__all__ = ["Bucket", "KeyValue", "Memory"]
