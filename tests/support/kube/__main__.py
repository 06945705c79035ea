"""A server that stays up, for `make test-cluster` without a cluster.

python -m support.kube KUBECONFIG    writes the file and serves until it is ended
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from support.kube.server import api_server


async def main(config: Path) -> None:
    async with api_server() as server:
        await asyncio.to_thread(config.write_text, server.kubeconfig(), "utf-8")
        await asyncio.Event().wait()


asyncio.run(main(Path(sys.argv[1])))
