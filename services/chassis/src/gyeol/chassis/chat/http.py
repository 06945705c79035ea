"""HTTP to model endpoints. The only module that imports aiohttp, and only when a model is called."""

from __future__ import annotations

import socket
from typing import Any, Final

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from gyeol.chassis import telemetry
from gyeol.chassis.chat.address import allowed
from gyeol.chassis.chat.answer import UnansweredError, completion, refusal
from gyeol.chassis.chat.call import Call
from gyeol.chassis.chat.completion import Completion
from gyeol.chassis.errors import InvalidError, NotReadyError

_ANSWER_BYTES: Final = 8 * 1024 * 1024
_CONNECT_SECONDS: Final = 10.0


class Transport:
    """One pool of connections to all endpoints; how many are open is what the limits allow."""

    def __init__(self) -> None:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, resolver=CheckedResolver(), ttl_dns_cache=30),
            trust_env=False,
            cookie_jar=aiohttp.DummyCookieJar(),
        )

    async def close(self) -> None:
        await self._session.close()

    async def post(self, call: Call) -> Completion:
        """Makes one attempt.

        Raises:
          GyeolError: As `answer.refusal` says, UnansweredError, or NotReadyError when nobody was reached.
        """
        endpoint = call.endpoint
        headers = telemetry.inject({"content-type": "application/json"})
        if endpoint.api_key:
            headers["authorization"] = f"Bearer {endpoint.api_key}"
        try:
            async with self._session.post(
                endpoint.base_url.rstrip("/") + "/chat/completions",
                data=call.body,
                headers=headers,
                allow_redirects=False,
                timeout=aiohttp.ClientTimeout(total=endpoint.timeout_seconds, sock_connect=_CONNECT_SECONDS),
            ) as response:
                payload = await _read(response)
                if response.status != 200:
                    raise refusal(endpoint, response.status, response.headers, payload)
        except aiohttp.ClientConnectorError as error:
            raise NotReadyError(f"endpoint {endpoint.name} at {endpoint.base_url} is not reached: start it") from error
        except TimeoutError:
            raise UnansweredError(
                f"endpoint {endpoint.name} did not answer within {endpoint.timeout_seconds:g} s: raise timeoutSeconds or"
                " lower concurrency"
            ) from None
        except aiohttp.InvalidURL as error:
            raise InvalidError(f"endpoint {endpoint.name}: baseUrl {endpoint.base_url!r} is not a URL") from error
        except aiohttp.ClientError as error:
            raise UnansweredError(f"endpoint {endpoint.name} broke off ({type(error).__name__})") from None
        return completion(endpoint, payload)


async def _read(response: aiohttp.ClientResponse) -> bytes:
    if response.content_length is not None and response.content_length <= _ANSWER_BYTES:
        return await response.read()
    parts, size = [], 0
    async for part in response.content.iter_any():
        size += len(part)
        if size > _ANSWER_BYTES:
            raise aiohttp.ClientPayloadError("the answer is too large")
        parts.append(part)
    return b"".join(parts)


class CheckedResolver(AbstractResolver):
    """Refuses names that resolve to an address that may not be called, also when they do so only later."""

    def __init__(self) -> None:
        self._resolver = aiohttp.ThreadedResolver()

    async def resolve(self, host: str, port: int = 0, family: Any = socket.AF_INET) -> list[ResolveResult]:
        found = await self._resolver.resolve(host, port, family)
        if not all(allowed(result["host"]) for result in found):
            raise InvalidError(f"{host} resolves to a link-local or metadata address, which may not be called")
        return found

    async def close(self) -> None:
        await self._resolver.close()
