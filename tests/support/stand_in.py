"""A process that behaves like a service as far as a fleet can see: it serves health, or misbehaves as its environment says.

    python stand_in.py NAME     listens at <NAME>_PORT

STAND_IN_<NAME>=crash    ends at once with a line on standard error
STAND_IN_<NAME>=refuse   ends at once with a line on standard error and the status of bad input
STAND_IN_<NAME>=deaf     runs and never listens
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys

from gyeol.chassis.rpc import Server


async def main(name: str) -> None:
    mode = os.environ.get(f"STAND_IN_{name}", "")
    if mode == "crash":
        sys.stderr.write(f"{name}: the setting {name}_COLOUR is not set\n")
        sys.exit(1)
    if mode == "refuse":
        sys.stderr.write(f"{name}: pack.yaml:3: colour: 'blau' is no colour; write blue\n")
        sys.exit(2)
    if mode == "deaf":
        await asyncio.sleep(3600)
    server = Server("127.0.0.1", int(os.environ[f"{name}_PORT"]), [])
    await server.start()
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
    await stopped.wait()
    await server.stop()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
