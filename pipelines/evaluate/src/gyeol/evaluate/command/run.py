"""`gyeol eval run`."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import os
import sys
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from gyeol.evaluate.command.option import JUDGES, Culture, Endpoints, JudgeAddress, Judges, PolicyAddress
from gyeol.evaluate.command.refusal import refuse
from gyeol.evaluate.error import SuiteError
from gyeol.evaluate.summary import Summary
from gyeol.evaluate.wanted import wanted_suites

if TYPE_CHECKING:
    from gyeol.chassis.chat import Endpoint, Price

_ANSWER_SECONDS = 600
"""How long one answer may take: a long one of a model on a few processors that others use too."""


def run(
    suites: Annotated[
        Path,
        typer.Option(
            help="JSON list of suites, as in a run's evaluation.suites. · 평가 세트 목록(JSON)", dir_okay=False
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            help="Folder to write; an interrupted evaluation goes on there. · 결과 폴더 (중단된 평가는 이어집니다)"
        ),
    ],
    seed_address: Annotated[str, typer.Option(help="Address of the seed service. · seed 서비스 주소")],
    policy_address: PolicyAddress,
    judge_address: JudgeAddress,
    endpoint: Annotated[
        str,
        typer.Option(
            help="OpenAI-compatible base URL, for example http://127.0.0.1:8080/openai/v1. · OpenAI 호환 주소"
        ),
    ] = "",
    model: Annotated[
        str, typer.Option(help="Model name as the endpoint lists it. · 엔드포인트가 알려 주는 모델 이름")
    ] = "",
    model_dir: Annotated[
        Path | None,
        typer.Option(
            help="Model folder: multiple choice is scored by log-likelihood. · 모델 폴더 (객관식은 로그 가능도로 채점)",
            file_okay=False,
        ),
    ] = None,
    culture: Culture = "ko-KR",
    judges: Judges = JUDGES,
    endpoints: Endpoints = "builtin",
    models: Annotated[
        Path | None, typer.Option(help="Folder of the models file, for judges that rate. · 모델 파일 폴더")
    ] = None,
    calibration: Annotated[
        Path | None, typer.Option(help="File of gyeol eval calibrate. · gyeol eval calibrate가 쓴 파일", dir_okay=False)
    ] = None,
    law_as_of: Annotated[
        str,
        typer.Option(
            help="Date on which citations must hold, YYYY-MM-DD; empty: today. · 인용의 기준일 (생략하면 한국의 오늘)"
        ),
    ] = "",
    random_seed: Annotated[int, typer.Option(help="Fixes which items are drawn. · 문항 추출의 난수 시드")] = 20260606,
    concurrency: Annotated[int, typer.Option(help="Requests at once. · 동시 요청 수", min=1, max=256)] = 16,
    price: Annotated[
        str, typer.Option(help="Price per million tokens, input/output/currency: 0.15/0.60/USD. · 백만 토큰당 가격")
    ] = "",
    cache: Annotated[
        Path | None, typer.Option(help="Folder in which answers are kept. · 응답을 저장할 폴더", file_okay=False)
    ] = None,
    dataset: Annotated[
        Path | None,
        typer.Option(help="Sealed dataset the model was trained on. · 모델을 학습한 봉인 데이터셋", file_okay=False),
    ] = None,
    api_key_env: Annotated[
        str, typer.Option(help="Environment variable that holds the endpoint's key. · API 키가 든 환경 변수")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="JSON lines instead of a table. · 표 대신 JSON 출력")] = False,
) -> None:
    """Measure one model; one outcome per item and metric. · 모델 하나를 측정합니다."""
    from gyeol.chassis.clock import day_in_korea
    from gyeol.chassis.errors import GyeolError
    from gyeol.evaluate.calibration import calibration as read_calibration
    from gyeol.evaluate.condition import Conditions
    from gyeol.evaluate.job import Addresses, evaluate

    now = dt.datetime.now(dt.UTC)
    names = [name.strip() for name in judges.split(",") if name.strip()]
    try:
        conditions = Conditions(
            suites=wanted_suites(suites),
            culture=culture,
            endpoints=endpoints,
            judges=names,
            law_as_of=law_as_of or day_in_korea(now),
            random_seed=random_seed,
            dataset=dataset,
            endpoint=_endpoint(endpoint, model, model_dir, concurrency, api_key_env, _price(price)),
            model_dir=model_dir,
            models=models,
            cache=cache,
            calibration=read_calibration(calibration, names) if calibration else {},
        )
        found = asyncio.run(
            evaluate(conditions, Addresses(seed_address, policy_address, judge_address), output, now, _emit)
        )
    except (GyeolError, OSError, BaseExceptionGroup) as error:
        refuse(error)
    for summary in found:
        _emit({"event": "summary"} | vars(summary))
    _emit({"event": "done", "output": str(output)})
    if not as_json:
        _show(found)


def _endpoint(
    url: str, model: str, model_dir: Path | None, concurrency: int, key: str, price: Price | None
) -> Endpoint | None:
    from gyeol.chassis.chat import Endpoint

    if not url and model_dir is not None:
        return None
    if not url or not model:
        raise SuiteError("give --endpoint and --model, or --model-dir for log-likelihood alone")
    return Endpoint(
        name=model, base_url=url, model=model, concurrency=concurrency, timeout_seconds=_ANSWER_SECONDS, price=price,
        api_key_env=key, api_key=os.environ.get(key, "") if key else "",
    )  # fmt: skip


def _price(text: str) -> Price | None:
    from gyeol.chassis.chat import Price

    if not text:
        return None
    try:
        asked, said, currency = text.split("/")
        return Price(Decimal(asked), Decimal(said), currency)
    except (ValueError, InvalidOperation) as error:
        raise SuiteError(f"--price {text!r}: expected input/output/currency, for example 0.15/0.60/USD") from error


def _emit(line: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def _show(found: Iterable[Summary]) -> None:
    table = Table(box=None)
    for heading in ("suite", "metric", "mean", "95 % interval", "scored", "unscored"):
        table.add_column(heading)
    for one in found:
        rate = one.mean is not None and -1 <= one.mean <= 1
        mean = "–" if one.mean is None else f"{one.mean:.1%}" if rate else f"{one.mean:.2f}"
        interval = "–" if one.low is None or one.high is None else f"{one.low:.1%} – {one.high:.1%}"
        unscored = ", ".join(f"{reason} {count}" for reason, count in one.unscored.items()) or "–"
        name = f"({one.metric})" if one.derived else one.metric
        table.add_row(one.suite, name, mean, interval, f"{one.scored}/{one.items}", unscored)
    Console(stderr=True).print(table)
