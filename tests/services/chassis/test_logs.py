import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from gyeol.chassis import logs
from gyeol.chassis.settings import ServiceSettings


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    before = structlog.get_config()
    yield
    structlog.configure(**before)
    structlog.contextvars.clear_contextvars()
    logging.basicConfig(force=True)


def start() -> None:
    logs.configure(ServiceSettings(), "judge")


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_a_line_is_json_with_the_service_and_what_is_bound(capsys: pytest.CaptureFixture[str]) -> None:
    start()
    with structlog.contextvars.bound_contextvars(run_id="run-1"):
        logs.get().info("record_judged", votes=3, name="가나다")
    logs.get().debug("not_shown")
    [line] = lines(capsys)
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "event": "record_judged",
        "level": "info",
        "service": "judge",
        "run_id": "run-1",
        "votes": 3,
        "name": "가나다",
    }


def test_secrets_are_masked_and_counts_of_tokens_are_not(capsys: pytest.CaptureFixture[str]) -> None:
    start()
    logs.get().info("called", api_key="sk-1", Authorization="Bearer x", prompt_tokens=5, nats_credentials="seed")
    [line] = lines(capsys)
    assert (line["api_key"], line["Authorization"], line["nats_credentials"]) == ("***", "***", "***")
    assert line["prompt_tokens"] == 5


def test_a_traceback_says_where_and_not_what(capsys: pytest.CaptureFixture[str]) -> None:
    start()
    try:
        raise ValueError("harmful text")
    except ValueError as error:
        logs.get().error("record_failed", exc_info=error)
    [line] = lines(capsys)
    assert line["exception"] == "ValueError"
    assert any("test_logs.py" in frame for frame in line["frames"])
    assert "harmful" not in "".join(str(value) for key, value in line.items() if key != "frames")


def test_lines_of_libraries_have_the_same_form(capsys: pytest.CaptureFixture[str]) -> None:
    start()
    logging.getLogger("nats").warning("slow %s", "consumer")
    [line] = lines(capsys)
    assert (line["event"], line["logger"], line["message"]) == ("library_logged", "nats", "slow consumer")
