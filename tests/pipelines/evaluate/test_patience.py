"""A model that stops answering is waited for, and given up when it stays away."""

from __future__ import annotations

from pathlib import Path

from gyeol.chassis.errors import InvalidError, NotReadyError
from gyeol.evaluate.patience import OUTAGE_SECONDS, PAUSE_SECONDS, Patience
from gyeol.evaluate.suite import shipped
from support.clock import SteppedClock
from support.evaluating import evaluated, peers
from support.openai_stub import Hangup, Status, openai_stub


async def test_items_met_by_an_outage_are_asked_again_and_none_is_lost(tmp_path: Path) -> None:
    away = [Hangup(), Status(503), Hangup(), Status(500)]
    async with peers() as addresses, openai_stub() as stub:
        stub.script("m", "정답은 1번입니다.", *away, "정답은 1번입니다.")
        found = await evaluated(addresses, tmp_path / "out", [shipped()["smoke-mcq"]], stub.url)
        assert found["smoke-mcq", "correct"].unscored == {}
        assert stub.requests["m"] == found["smoke-mcq", "correct"].items + len(away)


def test_a_model_is_given_up_after_an_outage_without_an_answer_between() -> None:
    clock = SteppedClock()
    patience, refusal = Patience(clock), NotReadyError("down")
    assert patience.pause(refusal) == PAUSE_SECONDS
    clock.advance(OUTAGE_SECONDS - 1)
    assert patience.pause(NotReadyError("down", retry_after=15.0)) == 15.0
    patience.answered()
    clock.advance(OUTAGE_SECONDS * 2)
    assert patience.pause(refusal) == PAUSE_SECONDS, "time without a failure is no outage"
    clock.advance(OUTAGE_SECONDS)
    assert patience.pause(refusal) is False
    assert patience.pause(refusal) is False, "the items that are left are not each waited for"


def test_a_request_that_is_wrong_is_not_sent_again() -> None:
    assert Patience(SteppedClock()).pause(InvalidError("too long")) is False
