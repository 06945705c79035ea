"""Judge models behind OpenAI-compatible endpoints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from gyeol.chassis.chat import Chat, Endpoint, Message, load_endpoints
from gyeol.chassis.errors import NotReadyError
from gyeol.judge.bench import BUILTIN, Calls, Judge
from gyeol.judge.domain.case import Exchange, Pair, Policy, Question, Run
from gyeol.judge.domain.model import verdict
from gyeol.judge.domain.model.inquiry import Inquiry, about_pair, about_query, about_response
from gyeol.judge.domain.model.reply import parsed
from gyeol.judge.domain.score import Measure, Reason, Unscored, Vote
from gyeol.judge.errors import JudgeUnknownError

ReplyFormat = Literal["json_schema", "json_object", "none"]


class ModelJudge:
    """A language model at the bench. What cannot be reached is unscored; a wrong key or an empty budget is an error."""

    def __init__(
        self,
        endpoint: Endpoint,
        chat: Chat,
        criteria: Mapping[str, str],
        calls: Calls,
        *,
        run_id: str | None,
        reply_format: ReplyFormat,
        max_tokens: int,
    ) -> None:
        self.name = endpoint.name
        self.model = endpoint.model
        self._endpoint = endpoint
        self._chat = chat
        self._criteria = criteria
        self._calls = calls
        self._run_id = run_id
        self._format = reply_format
        self._max_tokens = max_tokens

    async def harmfulness(self, question: Question, policy: Policy) -> float | Unscored | None:
        return verdict.harmfulness(await self._ask(about_query(question, policy)))

    async def measure(self, exchange: Exchange, *, with_coherence: bool) -> Measure:
        reply = await self._ask(about_response(exchange, with_coherence))
        return verdict.measure(self.name, exchange.question.kind, exchange.policy.rubrics, reply, with_coherence)

    async def votes(self, pair: Pair) -> tuple[Vote, ...]:
        return verdict.votes(tuple(self._criteria), await self._ask(about_pair(pair, self._criteria)))

    async def _ask(self, inquiry: Inquiry) -> Mapping[str, Any] | Unscored:
        try:
            completion = await self._chat.complete(
                self._endpoint,
                [Message("system", inquiry.system), Message("user", inquiry.user)],
                temperature=0,
                max_tokens=self._max_tokens,
                response_format=self._response_format(inquiry),
                run_id=self._run_id,
                payer=self._calls.payer,
            )
        except NotReadyError as error:
            return Unscored(Reason.INFRA_FAILED, str(error))
        self._calls.count(cached=completion.cached)
        return parsed(completion.text, completion.finish_reason, inquiry.ticket)

    def _response_format(self, inquiry: Inquiry) -> dict[str, Any] | None:
        match self._format:
            case "json_schema":
                return inquiry.response_format
            case "json_object":
                return {"type": "json_object"}
            case "none":
                return None


class Benches:
    """Seats the judges that a run names."""

    def __init__(
        self,
        built_in: Mapping[str, Judge],
        chat: Chat,
        models: Path,
        criteria: Mapping[str, str],
        *,
        reply_format: ReplyFormat,
        max_tokens: int,
    ) -> None:
        self._built_in = built_in
        self._chat = chat
        self._models = models
        self._criteria = criteria
        self._format = reply_format
        self._max_tokens = max_tokens

    def bench(self, run: Run, calls: Calls) -> Sequence[Judge]:
        """The judges of the run, in its order.

        Raises:
          JudgeUnknownError: A name is neither built in nor in the run's models file.
        """
        named = run.judges or BUILTIN
        models = {} if all(name in self._built_in for name in named) else load_endpoints(self._models, run.endpoints)
        return [self._seated(name, models, run, calls) for name in named]

    def _seated(self, name: str, models: Mapping[str, Endpoint], run: Run, calls: Calls) -> Judge:
        if name in self._built_in:
            return self._built_in[name]
        if name not in models:
            known = ", ".join([*self._built_in, *models])
            raise JudgeUnknownError(f"run.judges names {name!r}: use one of {known}, or add it to {run.endpoints}.yaml")
        return ModelJudge(
            models[name],
            self._chat,
            self._criteria,
            calls,
            run_id=run.id if run.budgeted else None,
            reply_format=self._format,
            max_tokens=self._max_tokens,
        )
