"""Serves health."""

import asyncio
import os

from gyeol.chassis.rpc import Server


async def main() -> None:
    server = Server("127.0.0.1", int(os.environ["GATEWAY_PORT"]), [])
    await server.start()
    await asyncio.Event().wait()


asyncio.run(main())
