"""Types of single values: decimal strings, names, digests and model addresses.

Decimals are strings because a float changes on its way through JSON, and two hands must read the same number.
Every refusal is a sentence that ends with the remedy.
"""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

NAME_LIMIT = 40
MODEL_SCHEMES = ("builtin:", "file://", "gguf:", "hf://", "oci://", "pvc://", "s3://")

_NAME = re.compile(r"[a-z]([a-z0-9-]*[a-z0-9])?")
_DECIMAL = re.compile(r"-?\d+(\.\d+)?([eE][-+]?\d{1,2})?")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_RESOURCE = re.compile(r"\d+(\.\d+)?(m|k|[KMGTPE]i?)?")
_CURRENCY = re.compile(r"[A-Z]{3}")
_CULTURE = re.compile(r"[a-z]{2,3}-[A-Z]{2}")


def _decimal_text(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise ValueError('is not a decimal; write a string such as "0.1"')
    if not isinstance(value, str):
        raise ValueError(f'is a number, and decimals are strings here; write "{value}"')
    if not _DECIMAL.fullmatch(value):
        raise ValueError('is not a decimal; write a string such as "0.1" or "5e-6"')
    try:
        Decimal(value)
    except InvalidOperation:
        raise ValueError('is not a decimal; write a string such as "0.1"') from None
    return value


def _positive(value: str) -> str:
    if Decimal(value) <= 0:
        raise ValueError("is not above zero; write a positive decimal")
    return value


def _not_negative(value: str) -> str:
    if Decimal(value) < 0:
        raise ValueError("is negative; write zero or more")
    return value


def _share(value: str) -> str:
    if not 0 <= Decimal(value) < 1:
        raise ValueError('is not a share; write a decimal from "0" up to, but not including, "1"')
    return value


def _name(value: str) -> str:
    if len(value) > NAME_LIMIT:
        raise ValueError(
            f"has {len(value)} characters; use at most {NAME_LIMIT}, because names of jobs and pods are made from it"
        )
    if not _NAME.fullmatch(value):
        raise ValueError("is not a name; use lower-case letters, digits and '-', starting with a letter")
    return value


def _digest(value: str) -> str:
    if value and not _DIGEST.fullmatch(value):
        raise ValueError(
            'is not a digest; write "sha256:" and 64 hexadecimal digits, or leave it empty to pin what is found'
        )
    return value


def _model_address(value: str) -> str:
    if not value.startswith(MODEL_SCHEMES) or value.split(":", 1)[1].strip("/") == "":
        raise ValueError(f"is not a model address; start it with one of {', '.join(MODEL_SCHEMES)}")
    return value


def _culture(value: str) -> str:
    if not _CULTURE.fullmatch(value):
        raise ValueError("is not the name of a culture pack; write a language and a country, such as ko-KR")
    return value


def _currency(value: str) -> str:
    if not _CURRENCY.fullmatch(value):
        raise ValueError("is not a currency; write its ISO 4217 code, such as USD or KRW")
    return value


def _iso_date(value: str) -> str:
    if value:
        try:
            date.fromisoformat(value)
        except ValueError:
            raise ValueError(
                "is not a date; write it as 2026-06-05, or leave it empty for the date of the pack"
            ) from None
    return value


def _resource(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, (int, str)) or (isinstance(value, int) and value < 0):
        raise ValueError('is not a quantity; write a whole number such as 8 or a text such as "16Gi"')
    if isinstance(value, str) and not _RESOURCE.fullmatch(value):
        raise ValueError('is not a quantity; write a whole number such as 8 or a text such as "16Gi"')
    return value


DecimalString = Annotated[str, BeforeValidator(_decimal_text)]
PositiveDecimal = Annotated[DecimalString, AfterValidator(_positive)]
NotNegativeDecimal = Annotated[DecimalString, AfterValidator(_not_negative)]
ShareDecimal = Annotated[DecimalString, AfterValidator(_share)]
Name = Annotated[str, AfterValidator(_name), Field(max_length=253)]
Digest = Annotated[str, AfterValidator(_digest)]
ModelAddress = Annotated[str, AfterValidator(_model_address), Field(max_length=1024)]
CultureName = Annotated[str, AfterValidator(_culture)]
Currency = Annotated[str, AfterValidator(_currency)]
IsoDate = Annotated[str, AfterValidator(_iso_date)]
ResourceQuantity = Annotated[str | int, BeforeValidator(_resource)]
PositiveInt = Annotated[int, Field(ge=1, le=2**31 - 1)]
Count = Annotated[int, Field(ge=0, le=2**53 - 1)]
