"""Types of single values: decimal strings, names, digests and model addresses.

Decimals are strings because a float changes on its way through JSON, and two hands must read the same number.
Every refusal is a sentence that ends with the remedy.
Beside each check stands the same one as a `Rule`, which the API server applies; a test keeps the two alike.
"""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

from gyeol.reconcile.rule import Rule

NAME_LIMIT = 40
MODEL_SCHEMES = ("builtin:", "file://", "gguf:", "hf://", "oci://", "pvc://", "s3://")

_NAME = re.compile(r"[a-z]([a-z0-9-]*[a-z0-9])?")
_DECIMAL = re.compile(r"-?\d+(\.\d+)?([eE][-+]?\d{1,2})?")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_RESOURCE = re.compile(r"\d+(\.\d+)?(m|k|[KMGTPE]i?)?")
_CURRENCY = re.compile(r"[A-Z]{3}")
_CULTURE = re.compile(r"[a-z]{2,3}-[A-Z]{2}")
_RESOURCE_NAME = re.compile(r"([a-z0-9.-]+/)?[A-Za-z0-9][A-Za-z0-9_.-]*")
_COMMUNICATION = re.compile(r"(NCCL|GLOO|UCX|FI|TORCH_NCCL|OMPI)_[A-Z0-9_]+")


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


def _optional_name(value: str) -> str:
    return _name(value) if value else value


def _resource_name(value: str) -> str:
    if not _RESOURCE_NAME.fullmatch(value):
        raise ValueError("is not the name of a resource; write one such as cpu, memory or nvidia.com/gpu")
    return value


def _communication(value: str) -> str:
    if not _COMMUNICATION.fullmatch(value):
        raise ValueError(
            "is not a setting of a communication library; start it with NCCL_, GLOO_, UCX_, FI_ or TORCH_NCCL_"
        )
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


_DECIMAL_RULE = r"self.matches('^-?[0-9]+([.][0-9]+)?([eE][-+]?[0-9]{1,2})?$')"
_NAME_RULE = "self.matches('^[a-z]([a-z0-9-]*[a-z0-9])?$')"

DecimalString = Annotated[str, BeforeValidator(_decimal_text), Field(max_length=32)]
PositiveDecimal = Annotated[
    DecimalString,
    AfterValidator(_positive),
    Rule(f"{_DECIMAL_RULE} && double(self) > 0.0", 'is not a positive decimal; write a string such as "0.1" or "5e-6"'),
]
NotNegativeDecimal = Annotated[
    DecimalString,
    AfterValidator(_not_negative),
    Rule(f"{_DECIMAL_RULE} && double(self) >= 0.0", 'is not a decimal from zero; write a string such as "0.1"'),
]
ShareDecimal = Annotated[
    DecimalString,
    AfterValidator(_share),
    Rule(
        f"{_DECIMAL_RULE} && double(self) >= 0.0 && double(self) < 1.0",
        'is not a share; write a decimal from "0" up to, but not including, "1"',
    ),
]
Name = Annotated[
    str,
    AfterValidator(_name),
    Field(max_length=NAME_LIMIT),
    Rule(_NAME_RULE, "is not a name; use lower-case letters, digits and '-', starting with a letter"),
]
OptionalName = Annotated[
    str,
    AfterValidator(_optional_name),
    Field(max_length=NAME_LIMIT),
    Rule(f"self == '' || {_NAME_RULE}", "is not a name; use lower-case letters, digits and '-', or leave it empty"),
]
Digest = Annotated[
    str,
    AfterValidator(_digest),
    Field(max_length=71),
    Rule(
        "self == '' || self.matches('^sha256:[0-9a-f]{64}$')",
        'is not a digest; write "sha256:" and 64 hexadecimal digits, or leave it empty to pin what is found',
    ),
]
RequiredDigest = Annotated[
    str,
    AfterValidator(_digest),
    Field(min_length=1, max_length=71),
    Rule("self.matches('^sha256:[0-9a-f]{64}$')", 'is not a digest; write "sha256:" and 64 hexadecimal digits'),
]
ModelAddress = Annotated[
    str,
    AfterValidator(_model_address),
    Field(max_length=1024),
    Rule(
        "self.matches('^(builtin:|file://|gguf:|hf://|oci://|pvc://|s3://)/*[^/]')",
        f"is not a model address; start it with one of {', '.join(MODEL_SCHEMES)}",
    ),
]
CultureName = Annotated[
    str,
    AfterValidator(_culture),
    Field(max_length=6),
    Rule(
        "self.matches('^[a-z]{2,3}-[A-Z]{2}$')",
        "is not the name of a culture pack; write a language and a country, such as ko-KR",
    ),
]
Currency = Annotated[
    str,
    AfterValidator(_currency),
    Field(max_length=3),
    Rule("self.matches('^[A-Z]{3}$')", "is not a currency; write its ISO 4217 code, such as USD or KRW"),
]
IsoDate = Annotated[
    str,
    AfterValidator(_iso_date),
    Field(max_length=10),
    Rule(
        "self == '' || self.matches('^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$')",
        "is not a date; write it as 2026-06-05, or leave it empty for the date of the pack",
    ),
]
ResourceName = Annotated[str, AfterValidator(_resource_name), Field(max_length=253)]
CommunicationSetting = Annotated[str, AfterValidator(_communication), Field(max_length=128)]
ResourceQuantity = Annotated[
    Annotated[str, Field(max_length=32)] | int,
    BeforeValidator(_resource),
    Rule(
        "type(self) == int ? self >= 0 : self.matches('^[0-9]+([.][0-9]+)?(m|k|[KMGTPE]i?)?$')",
        'is not a quantity; write a whole number such as 8 or a text such as "16Gi"',
    ),
]
PositiveInt = Annotated[int, Field(ge=1, le=2**31 - 1)]
Count = Annotated[int, Field(ge=0, le=2**53 - 1)]
