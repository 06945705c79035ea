"""A registry that serves one OCI image layout, as far as clients that only read ask for it."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from aiohttp import web

TOKEN = "for-everybody"


@contextlib.asynccontextmanager
async def registry(layout: Path, *, refers: bool = True, closed: bool = False) -> AsyncIterator[str]:
    """A registry at work; its `host:port`.

    Args:
      layout: The layout; every name and tag means its pack.
      refers: It lists what refers to a manifest; otherwise the list is under a tag, as clients keep it there.
      closed: It gives nobody a token.
    """

    def entries() -> list[dict[str, Any]]:
        return json.loads((layout / "index.json").read_bytes())["manifests"]

    def blob(digest: str) -> bytes:
        try:
            return (layout / "blobs" / "sha256" / digest.removeprefix("sha256:")).read_bytes()
        except OSError:
            raise web.HTTPNotFound from None

    def enter(request: web.Request) -> None:
        if request.headers.get("Authorization") != f"Bearer {TOKEN}":
            realm = f'Bearer realm="http://{request.host}/token",service="here",scope="repository:x:pull"'
            raise web.HTTPUnauthorized(headers={"WWW-Authenticate": realm})

    async def token(_: web.Request) -> web.Response:
        if closed:
            raise web.HTTPForbidden
        return web.json_response({"token": TOKEN})

    async def manifest(request: web.Request) -> web.Response:
        enter(request)
        reference = request.match_info["reference"]
        if reference.startswith("sha256-"):
            if refers:
                raise web.HTTPNotFound
            return web.json_response({"manifests": entries()[1:]})
        return web.Response(body=blob(reference if ":" in reference else entries()[0]["digest"]))

    async def referrers(request: web.Request) -> web.Response:
        enter(request)
        if not refers:
            raise web.HTTPNotFound
        return web.json_response({"manifests": entries()[1:]})

    async def blobs(request: web.Request) -> web.Response:
        enter(request)
        raise web.HTTPTemporaryRedirect(f"/store/{request.match_info['digest']}")

    async def store(request: web.Request) -> web.Response:
        return web.Response(body=blob(request.match_info["digest"]))

    app = web.Application()
    app.add_routes(
        [
            web.get("/token", token),
            web.get("/v2/{name:.+}/manifests/{reference}", manifest),
            web.get("/v2/{name:.+}/referrers/{digest}", referrers),
            web.get("/v2/{name:.+}/blobs/{digest}", blobs),
            web.get("/store/{digest}", store),
        ]
    )
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        yield f"127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
