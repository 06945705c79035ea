"""The chat client: one per service, for all its endpoints."""

from __future__ import annotations

import hashlib
import random
import uuid
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import orjson

from gyeol.chassis import metrics, telemetry
from gyeol.chassis.chat.breaker import Breaker
from gyeol.chassis.chat.budget import Budget
from gyeol.chassis.chat.completion import Completion, Said, Usage
from gyeol.chassis.chat.endpoint import Endpoint
from gyeol.chassis.chat.limit import Limit
from gyeol.chassis.clock import Clock, SystemClock
from gyeol.chassis.errors import DeniedError, ExhaustedError, InvalidError, NotReadyError
from gyeol.chassis.store import KeyValue

_RETRIES = 4


class Chat:
    """Calls models. Keep one for the life of the service, so that limits and breakers are shared.

    Args:
      cache: Where answers are kept by content; None: every call is paid.
      budget: Where runs reserve; used for calls that name a run.
    """

    def __init__(
        self, *, cache: KeyValue | None = None, budget: Budget | None = None, clock: Clock | None = None
    ) -> None:
        self._cache = cache
        self._budget = budget
        self._clock = clock or SystemClock()
        self._session: Any = None
        self._lines: dict[tuple[str, str], tuple[Limit, Breaker]] = {}

    async def complete(
        self,
        endpoint: Endpoint,
        messages: Sequence[Said],
        *,
        sample: int = 0,
        temperature: Decimal | float | None = None,
        max_tokens: int = 1024,
        seed: int | None = None,
        response_format: Mapping[str, Any] | None = None,
        run_id: str | None = None,
    ) -> Completion:
        """Asks a model.

        Args:
          sample: Tells several answers to the same question apart.
          temperature: None: the endpoint's own.
          max_tokens: Most tokens of the answer.
          response_format: As in the OpenAI API, for example `{"type": "json_object"}`.
          run_id: Run whose budget pays; None: nothing is reserved.

        Raises:
          InvalidError: The endpoint refuses the request (400, 404, 422).
          DeniedError: The key is wrong; names the endpoint and the environment variable.
          NotReadyError: Down, too slow or overloaded; `retry_after` may say when to come back.
          ExhaustedError: The run's budget does not allow the call.
        """
        body = _body(endpoint, messages, temperature, max_tokens, seed, response_format)
        key = _key(endpoint, body, sample)
        if self._cache is not None and (stored := await self._cache.get(key)) is not None:
            metrics.MODEL_CALLS.labels(endpoint.name, "cached").inc()
            return _stored(stored)
        reservation = await self._reserve(endpoint, body, max_tokens, run_id)
        completion: Completion | None = None
        try:
            completion = await self._call(endpoint, body)
        finally:
            if reservation is not None and self._budget is not None and run_id is not None:
                usage = completion.usage if completion else Usage(0, 0, None)
                money = usage.cost if completion else Decimal(0)
                await self._budget.settle(run_id, reservation, usage.tokens, money)
        if self._cache is not None and completion.text:
            kept = await self._cache.create(key, _kept(completion))
            stored_completion = _stored(kept)
            return Completion(stored_completion.text, stored_completion.finish_reason, completion.usage, cached=False)
        return completion

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    async def _reserve(
        self, endpoint: Endpoint, body: dict[str, Any], max_tokens: int, run_id: str | None
    ) -> str | None:
        if run_id is None or self._budget is None:
            return None
        prompt = sum(len(message["content"].encode()) for message in body["messages"]) // 2 + 16
        money = endpoint.price.cost(prompt, max_tokens) if endpoint.price else None
        reservation = uuid.uuid4().hex
        await self._budget.reserve(run_id, reservation, prompt + max_tokens, money)
        return reservation

    async def _call(self, endpoint: Endpoint, body: dict[str, Any]) -> Completion:
        limit, breaker = self._line(endpoint)
        for attempt in range(1, _RETRIES + 1):
            breaker.check()
            await limit.acquire()
            overloaded, retry_after = False, None
            try:
                completion = await self._post(endpoint, body)
                breaker.succeeded()
                return completion
            except ExhaustedError as error:
                overloaded, retry_after = True, error.retry_after
                if attempt == _RETRIES:
                    raise NotReadyError(str(error), retry_after=retry_after) from None
            except NotReadyError as error:
                overloaded, retry_after = True, error.retry_after
                breaker.failed()
                if attempt == _RETRIES:
                    raise
            finally:
                limit.release(overloaded=overloaded, retry_after=retry_after)
                metrics.MODEL_LIMIT.labels(endpoint.name).set(limit.current)
            await self._clock.sleep(random.uniform(0, 0.1 * 2**attempt))  # noqa: S311 (jitter)
        raise AssertionError("unreachable")

    def _line(self, endpoint: Endpoint) -> tuple[Limit, Breaker]:
        key = (endpoint.name, endpoint.base_url)
        if key not in self._lines:
            self._lines[key] = (Limit(self._clock, endpoint.concurrency), Breaker(self._clock, endpoint.name))
        return self._lines[key]

    async def _post(self, endpoint: Endpoint, body: dict[str, Any]) -> Completion:
        import aiohttp

        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0), trust_env=False, auto_decompress=True
            )
        headers = telemetry.inject({"content-type": "application/json"})
        if endpoint.api_key:
            headers["authorization"] = f"Bearer {endpoint.api_key}"
        url = endpoint.base_url.rstrip("/") + "/chat/completions"
        try:
            async with self._session.post(
                url,
                data=orjson.dumps(body),
                headers=headers,
                allow_redirects=False,
                timeout=aiohttp.ClientTimeout(total=endpoint.timeout_seconds),
            ) as response:
                payload = await response.read()
                _check(endpoint, response.status, response.headers)
        except TimeoutError:
            raise NotReadyError(
                f"endpoint {endpoint.name} did not answer within {endpoint.timeout_seconds:g} s"
            ) from None
        except aiohttp.ClientError as error:
            raise NotReadyError(f"endpoint {endpoint.name} at {endpoint.base_url}: {type(error).__name__}") from None
        return _parsed(endpoint, payload)


def _body(
    endpoint: Endpoint,
    messages: Sequence[Said],
    temperature: Decimal | float | None,
    max_tokens: int,
    seed: int | None,
    response_format: Mapping[str, Any] | None,
) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": endpoint.model,
        "messages": [{"role": message.role, "content": message.content} for message in messages],
        "max_tokens": max_tokens,
    }
    chosen = endpoint.temperature if temperature is None else temperature
    if chosen is not None:
        body["temperature"] = float(chosen)
    if seed is not None:
        body["seed"] = seed
    if response_format is not None:
        body["response_format"] = dict(response_format)
    return body


def _key(endpoint: Endpoint, body: dict[str, Any], sample: int) -> str:
    canonical = orjson.dumps(
        {"version": 1, "endpoint": endpoint.name, "revision": endpoint.revision, "sample": sample, "body": body},
        option=orjson.OPT_SORT_KEYS,
    )
    return hashlib.sha256(canonical).hexdigest()


def _check(endpoint: Endpoint, status: int, headers: Mapping[str, str]) -> None:
    if status == 200:
        return
    if status in (401, 403):
        remedy = (
            f"check the key in {endpoint.api_key_env}" if endpoint.api_key_env else "set apiKeyEnv in its models file"
        )
        raise DeniedError(f"endpoint {endpoint.name} refused the key ({status}): {remedy}")
    retry_after = _seconds(headers)
    if status == 429:
        raise ExhaustedError(f"endpoint {endpoint.name} is overloaded (429)", retry_after=retry_after)
    if status in (408, 409, 425) or status >= 500:
        raise NotReadyError(f"endpoint {endpoint.name} failed ({status})", retry_after=retry_after)
    raise InvalidError(f"endpoint {endpoint.name} refused the request ({status}): check its model and baseUrl")


def _seconds(headers: Mapping[str, str]) -> float | None:
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name])) * unit
        except (KeyError, ValueError):
            continue
    return None


def _parsed(endpoint: Endpoint, payload: bytes) -> Completion:
    try:
        answer = orjson.loads(payload)
        choice = answer["choices"][0]
        text = choice["message"].get("content") or ""
        counted = answer.get("usage") or {}
        prompt, completion = int(counted.get("prompt_tokens") or 0), int(counted.get("completion_tokens") or 0)
        reason = str(choice.get("finish_reason") or "")
    except (orjson.JSONDecodeError, LookupError, TypeError, ValueError, AttributeError):
        raise NotReadyError(f"endpoint {endpoint.name} answered something that is not a chat completion") from None
    cost = endpoint.price.cost(prompt, completion) if endpoint.price else None
    return Completion(text, reason, Usage(prompt, completion, cost), cached=False)


def _kept(completion: Completion) -> bytes:
    usage = completion.usage
    return orjson.dumps([completion.text, completion.finish_reason, usage.prompt_tokens, usage.completion_tokens])


def _stored(value: bytes) -> Completion:
    text, reason, prompt, completion = orjson.loads(value)
    return Completion(text, reason, Usage(prompt, completion, Decimal(0)), cached=True)
