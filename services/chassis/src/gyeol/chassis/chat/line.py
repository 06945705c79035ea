"""The line to one endpoint: how many calls at once, how many per minute, and whether it is up."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

import stamina
from aiolimiter import AsyncLimiter

from gyeol.chassis import metrics
from gyeol.chassis.chat.answer import OverloadedError, UnansweredError
from gyeol.chassis.chat.breaker import Breaker
from gyeol.chassis.chat.call import Call
from gyeol.chassis.chat.completion import Completion
from gyeol.chassis.chat.endpoint import Endpoint
from gyeol.chassis.chat.limit import Limit
from gyeol.chassis.clock import Clock
from gyeol.chassis.errors import NotReadyError

_ATTEMPTS: Final = 3
_OVERLOADED_ATTEMPTS: Final = 10


class Line:
    """Shared by all calls to an endpoint, so that what one learns the others know."""

    def __init__(self, endpoint: Endpoint, clock: Clock) -> None:
        self._endpoint = endpoint
        self.limit = Limit(clock, endpoint.concurrency)
        self.breaker = Breaker(clock, endpoint.name)
        per_minute = endpoint.requests_per_minute
        self._pace = AsyncLimiter(max(1.0, per_minute / 60), max(1.0, 60 / per_minute)) if per_minute else None
        self._limited = metrics.MODEL_LIMIT.labels(endpoint.name)

    async def send(self, call: Call, post: Callable[[Call], Awaitable[Completion]]) -> Completion:
        """Makes the call, again where that makes sense."""
        failures = 0

        def again(error: Exception) -> bool | float:
            nonlocal failures
            failures += 1
            overloaded = isinstance(error, OverloadedError)
            allowed = _OVERLOADED_ATTEMPTS if overloaded else _ATTEMPTS
            if not isinstance(error, NotReadyError) or failures >= allowed or self.breaker.is_open:
                return False
            return 0.0 if overloaded else True  # the limit makes all calls wait, this one included

        async for attempt in stamina.retry_context(
            on=again, attempts=None, timeout=None, wait_initial=0.05, wait_max=2.0, wait_jitter=0.1
        ):
            with attempt:
                return await self._attempt(call, post)
        raise AssertionError("stamina ends with a result or an error")

    async def _attempt(self, call: Call, post: Callable[[Call], Awaitable[Completion]]) -> Completion:
        self.breaker.check()
        await self.limit.acquire()
        overloaded, retry_after = False, None
        try:
            if self._pace is not None:
                await self._pace.acquire()
            answered = await post(call)
        except OverloadedError as error:
            overloaded, retry_after = True, error.retry_after
            raise
        except NotReadyError as error:
            overloaded, retry_after = isinstance(error, UnansweredError), error.retry_after
            self.breaker.failed()
            raise
        finally:
            self.limit.release(overloaded=overloaded, retry_after=retry_after)
            self._limited.set(self.limit.current)
        self.breaker.succeeded()
        return answered
