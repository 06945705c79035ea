"""gRPC: one channel per peer for life, and a server that drains."""

from gyeol.chassis.rpc.channel import channel
from gyeol.chassis.rpc.server import Door, Server

__all__ = ["Door", "Server", "channel"]
