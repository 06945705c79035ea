"""Which model a server really serves: Ready can describe the model before."""

from __future__ import annotations

import aiohttp

from gyeol.chassis import logs
from gyeol.cluster.client import Object
from gyeol.reconcile.manifest.inferenceservice import DIGEST_ANNOTATION
from gyeol.reconcile.manifest.outcome import condition

SECONDS = 5.0

_log = logs.get()


class Identities:
    """Asks servers what they serve, and remembers the answer for as long as the object stays as it is."""

    def __init__(self, http: aiohttp.ClientSession) -> None:
        self._http = http
        self._known: dict[str, tuple[int, str, bool]] = {}

    async def serves(self, service: Object, name: str) -> bool:
        """Whether an InferenceService is ready and answers under the name, with the digest it was made for.

        Args:
          service: The object.
          name: Name under which the model must be listed.
        """
        metadata, status = service["metadata"], service.get("status") or {}
        if status.get("observedGeneration", metadata["generation"]) < metadata["generation"]:
            return False
        if condition(status, "Ready") is None or not base_url(service):
            self._known.pop(metadata["uid"], None)
            return False
        key = (metadata["generation"], name, True)
        if self._known.get(metadata["uid"]) == key:
            return True
        wanted = (metadata.get("annotations") or {}).get(DIGEST_ANNOTATION, "")
        answer = await self.answer(base_url(service), name, wanted)
        if answer:
            self._known[metadata["uid"]] = key
        return answer

    async def answer(self, url: str, name: str, digest: str) -> bool:
        """Whether the server at an OpenAI-compatible address lists the model, with this digest if it tells one."""
        try:
            async with self._http.get(f"{url}/models", timeout=aiohttp.ClientTimeout(total=SECONDS)) as response:
                listed = {one["id"]: str(one.get("digest") or "") for one in (await response.json())["data"]}
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError, KeyError, TypeError):
            return False
        if name not in listed:
            _log.warning("other_model_served", url=url, wanted=name, served=sorted(listed))
            return False
        return not digest or listed[name] in ("", digest)


def base_url(service: Object) -> str:
    """The OpenAI-compatible address of an InferenceService, inside the cluster where it has one; empty until it is known."""
    status = service.get("status") or {}
    url = (status.get("address") or {}).get("url") or status.get("url") or ""
    return f"{url.rstrip('/')}/openai/v1" if url else ""
