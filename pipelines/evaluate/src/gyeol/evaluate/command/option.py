"""Options that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

Culture = Annotated[str, typer.Option(help="Culture pack. · 문화 팩")]
Judges = Annotated[str, typer.Option(help="Comma-separated judges. · 쉼표로 나눈 심사 모델")]
Endpoints = Annotated[str, typer.Option(help="Models file of the judges. · 심사 모델 파일")]
PolicyAddress = Annotated[str, typer.Option(help="Address of the policy service. · policy 서비스 주소")]
JudgeAddress = Annotated[str, typer.Option(help="Address of the judge service. · judge 서비스 주소")]

JUDGES = "safety,grounding,register"
"""Those that are built in."""
