"""Puts the scorer of a suite together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import grpc

from gyeol.api.run.v1.run_pb2 import RunContext
from gyeol.chassis.chat import Chat, Endpoint, load_endpoints
from gyeol.evaluate.answer import Answer
from gyeol.evaluate.condition import Conditions
from gyeol.evaluate.error import SuiteError
from gyeol.evaluate.item import Item
from gyeol.evaluate.outcome import Outcome
from gyeol.evaluate.runner import Score
from gyeol.evaluate.scorer.citation import CitationScorer
from gyeol.evaluate.scorer.emotion import emotion_outcomes
from gyeol.evaluate.scorer.option import option_outcomes
from gyeol.evaluate.scorer.program import program_outcomes
from gyeol.evaluate.scorer.rating import RatingScorer
from gyeol.evaluate.scorer.response import ResponseScorer
from gyeol.evaluate.scorer.term import term_outcomes
from gyeol.evaluate.suite import Suite

Immediate = Callable[[Item, Answer, Sequence[str]], dict[str, Outcome]]


def scorer(
    suite: Suite,
    conditions: Conditions,
    run: RunContext,
    policies: grpc.aio.Channel,
    judges: grpc.aio.Channel,
    chat: Chat,
) -> Score:
    """The scorer of a suite.

    Raises:
      SuiteError: The suite needs judge models and none is named.
    """
    match suite.scorer:
        case "response":
            return ResponseScorer(judges, run).outcomes
        case "citation":
            return CitationScorer(policies, conditions.culture, conditions.law_as_of).outcomes
        case "rating":
            criteria = {metric.name: metric.judged_by for metric in suite.metrics}
            return RatingScorer(rating_judges(suite, conditions), chat, criteria).outcomes
        case "program":
            return program_outcomes
        case "emotion":
            return partial(_at_once, emotion_outcomes)
        case "term":
            return partial(_at_once, term_outcomes)
        case "harness":
            raise SuiteError(f"suite {suite.name} is scored by the harness")
        case kind:
            return partial(_at_once, partial(option_outcomes, kind))


def rating_judges(suite: Suite, conditions: Conditions) -> list[Endpoint]:
    """The judges of the run that are models; built-in judges follow rules and grade nothing.

    Raises:
      SuiteError: No judge is a model.
    """
    known = load_endpoints(conditions.models or Path("models"), conditions.endpoints)
    found = [known[name] for name in conditions.judges if name in known]
    if not found:
        raise SuiteError(
            f"suite {suite.name} needs judge models: name them with --judges and their models file with --endpoints and --models"
        )
    return found


async def _at_once(score: Immediate, item: Item, answer: Answer, metrics: Sequence[str]) -> dict[str, Outcome]:
    return score(item, answer, metrics)
