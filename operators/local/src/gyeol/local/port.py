"""Ports on the loopback interface."""

from __future__ import annotations

import socket
from collections.abc import Iterable

import psutil

LOOPBACK = "127.0.0.1"


def free_port(preferred: int = 0, taken: Iterable[int] = ()) -> int:
    """A port nobody listens on: the preferred one when it is free, any other otherwise."""
    avoid = set(taken)
    if preferred and preferred not in avoid and is_free(preferred):
        return preferred
    while True:
        with socket.socket() as probe:
            probe.bind((LOOPBACK, 0))
            port = int(probe.getsockname()[1])
        if port not in avoid:
            return port


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def listener(port: int) -> str:
    """Who listens on a port, for a message: `pid 123 (postgres)`, or `another process`."""
    try:
        for connection in psutil.net_connections("tcp"):
            if (
                connection.status == psutil.CONN_LISTEN
                and connection.pid
                and (LOOPBACK, port) == tuple(connection.laddr)
            ):
                return f"pid {connection.pid} ({psutil.Process(connection.pid).name()})"
    except psutil.Error:
        pass
    return "another process"
