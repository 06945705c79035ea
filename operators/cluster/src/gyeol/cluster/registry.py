"""An image in a registry, read over the OCI distribution protocol without an account of one's own.

Whoever makes a CulturePack chooses the address, so it may not lead to the machine's own metadata, nor may a redirect.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

import aiohttp

from gyeol.chassis.chat.address import allowed
from gyeol.chassis.errors import InvalidError
from gyeol.cluster.errors import ImageUnreadableError
from gyeol.cluster.image import LIMIT, SIGNATURE, checked, entries

SECONDS = 20.0
REDIRECTS = 3
_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
_INDEX = "application/vnd.oci.image.index.v1+json"
_ADDRESS = re.compile(
    r"oci://(?P<host>[a-z0-9.-]+(?::[0-9]{1,5})?)/(?P<name>[a-z0-9]+(?:[._/-]+[a-z0-9]+)*)"
    r"(?::(?P<tag>\w[\w.-]{0,127}))?(?:@(?P<digest>sha256:[0-9a-f]{64}))?"
)
_CHALLENGE = re.compile(r'(\w+)="([^"]*)"')


@dataclass(frozen=True)
class Address:
    """Where an image is: `oci://host[:port]/name[:tag][@digest]`."""

    base: str
    name: str
    reference: str

    @staticmethod
    def of(uri: str) -> Address:
        """Raises ImageUnreadableError when it is none."""
        found = _ADDRESS.fullmatch(uri)
        if found is None:
            raise ImageUnreadableError(f"{uri} is not the address of an image; write oci://host/name:tag")
        host = found["host"]
        # As other clients do: only a registry on this very machine is talked to without TLS.
        scheme = "http" if host.partition(":")[0] in ("localhost", "127.0.0.1") else "https"
        return Address(f"{scheme}://{host}", found["name"], found["digest"] or found["tag"] or "latest")


class Registry:
    """One image of a registry.

    Args:
      http: Connections; its resolver refuses addresses that may not be called.
      uri: Address of the image.
    """

    def __init__(self, http: aiohttp.ClientSession, uri: str) -> None:
        self._http = http
        self._address = Address.of(uri)
        self._token = ""

    async def manifest(self, digest: str = "") -> bytes:
        reference = digest or self._address.reference
        content = await self._got(f"manifests/{reference}", _MANIFEST)
        return checked(content, reference) if reference.startswith("sha256:") else content

    async def referring(self, digest: str) -> list[str]:
        try:
            index = await self._got(f"referrers/{digest}?artifactType={SIGNATURE}", _INDEX)
        except _AbsentError:
            # Older registries do not list what refers to a manifest; clients keep the list under a tag.
            try:
                index = await self._got(f"manifests/{digest.replace(':', '-')}", _INDEX)
            except _AbsentError:
                return []
        return [str(one["digest"]) for one in entries(index) if one.get("artifactType") == SIGNATURE]

    async def blob(self, digest: str) -> bytes:
        return checked(await self._got(f"blobs/{digest}", "*/*"), digest)

    async def _got(self, path: str, accept: str) -> bytes:
        url = f"{self._address.base}/v2/{self._address.name}/{path}"
        status, content, challenge = await self._asked(url, accept, self._token)
        if status == 401 and not self._token:
            self._token = await self._entered(challenge)
            status, content, _ = await self._asked(url, accept, self._token)
        if status == 404:
            raise _AbsentError(f"{url} is not there; push the image, or correct the address")
        if status in (401, 403):
            raise ImageUnreadableError(
                f"{url} asks for an account, and none is used; let the image be read by everybody"
            )
        if status != 200:
            raise ImageUnreadableError(f"{url} answers {status}")
        return content

    async def _entered(self, challenge: str) -> str:
        """The token that everybody gets; empty: the registry gives none."""
        told = dict(_CHALLENGE.findall(challenge))
        if not challenge.lower().startswith("bearer ") or "realm" not in told:
            return ""
        query = {key: told.get(key, "") for key in ("service", "scope")}
        separator = "&" if "?" in told["realm"] else "?"
        url = told["realm"] + separator + "&".join(f"{key}={value}" for key, value in query.items() if value)
        status, content, _ = await self._asked(url, "application/json", "")
        found = re.search(rb'"(?:token|access_token)"\s*:\s*"([^"]+)"', content) if status == 200 else None
        return found[1].decode() if found else ""

    async def _asked(self, url: str, accept: str, token: str) -> tuple[int, bytes, str]:
        """Status, content and challenge of an answer, redirects followed."""
        headers = {"Accept": accept, **({"Authorization": f"Bearer {token}"} if token else {})}
        limit = aiohttp.ClientTimeout(total=SECONDS)
        try:
            for _ in range(REDIRECTS + 1):
                _may_be_called(url)
                async with self._http.get(url, headers=headers, allow_redirects=False, timeout=limit) as answer:
                    if answer.status not in (301, 302, 303, 307, 308):
                        return answer.status, await _read(answer, url), answer.headers.get("WWW-Authenticate", "")
                    there = urljoin(url, answer.headers.get("Location", ""))
                if urlsplit(there).netloc != urlsplit(url).netloc:
                    headers.pop("Authorization", None)  # the token is for the registry alone
                url = there
        except (aiohttp.ClientError, TimeoutError, OSError, InvalidError) as error:
            told = str(error) or type(error).__name__
            raise ImageUnreadableError(f"{url} cannot be read: {told}") from None
        raise ImageUnreadableError(f"{url} leads on and on")


class _AbsentError(ImageUnreadableError):
    """The registry has no such thing."""


def _may_be_called(url: str) -> None:
    parts = urlsplit(url)
    try:
        fine = allowed(parts.hostname or "")
    except ValueError:
        fine = True  # a name: what it resolves to is checked when it is called
    if parts.scheme not in ("http", "https") or not fine:
        raise InvalidError("it may not be called")


async def _read(answer: aiohttp.ClientResponse, url: str) -> bytes:
    parts, size = [], 0
    async for part in answer.content.iter_any():
        size += len(part)
        if size > LIMIT:
            raise ImageUnreadableError(f"{url} is larger than {LIMIT} bytes")
        parts.append(part)
    return b"".join(parts)
