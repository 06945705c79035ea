"""Parses a models file. Loaded only when there is one."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from gyeol.chassis.chat.endpoint import Endpoint, Price
from gyeol.chassis.errors import InvalidError


def _decimal_string(value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError('write it as a decimal string, for example "0.15"')
    return value


DecimalString = Annotated[Decimal, BeforeValidator(_decimal_string), Field(ge=0)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=False, alias_generator=to_camel)


class _Price(_Strict):
    input_per_million: DecimalString
    output_per_million: DecimalString
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")]


class _Model(_Strict):
    name: Annotated[str, Field(pattern=r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$", max_length=63)]
    base_url: str
    model: Annotated[str, Field(min_length=1)]
    revision: str = ""
    api_key_env: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] = ""
    price: _Price | None = None
    concurrency: Annotated[int, Field(ge=1, le=4096)] = 16
    requests_per_minute: Annotated[int, Field(ge=1)] | None = None
    timeout_seconds: Annotated[float, Field(gt=0, le=3600)] = 60.0
    temperature: Annotated[DecimalString, Field(le=2)] | None = None
    roles: list[Annotated[str, Field(pattern=r"^[a-z]+$")]] = []


class _File(_Strict):
    models: Annotated[list[_Model], Field(min_length=1)]


class _Loader(yaml.SafeLoader):
    """A key that is written twice is refused: only one of them would count."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if str(key.value) in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"'{key.value}' is written twice; keep one of them", key.start_mark
                )
            seen.add(str(key.value))
        return super().construct_mapping(node, deep)


def endpoints(path: Path, environ: Mapping[str, str]) -> dict[str, Endpoint]:
    """The endpoints of the file, by name."""
    try:
        parsed = _File.model_validate(_content(path))
    except ValidationError as error:
        raise InvalidError("; ".join(_complaint(path, dict(detail)) for detail in error.errors())) from None
    made: dict[str, Endpoint] = {}
    for index, model in enumerate(parsed.models):
        if model.name in made:
            raise InvalidError(f"{path}: models[{index}].name={model.name!r} is there twice: names are unique")
        key = environ.get(model.api_key_env, "") if model.api_key_env else ""
        if model.api_key_env and not key:
            raise InvalidError(
                f"{path}: models[{index}].apiKeyEnv={model.api_key_env!r}: set this environment variable to the key"
            )
        try:
            made[model.name] = Endpoint(
                name=model.name,
                base_url=model.base_url,
                model=model.model,
                revision=model.revision,
                api_key_env=model.api_key_env,
                api_key=key,
                price=Price(**model.price.model_dump()) if model.price else None,
                concurrency=model.concurrency,
                requests_per_minute=model.requests_per_minute,
                timeout_seconds=model.timeout_seconds,
                temperature=model.temperature,
                roles=tuple(model.roles),
            )
        except InvalidError as error:
            raise InvalidError(f"{path}: models[{index}].{error}") from None
    return made


def _content(path: Path) -> Any:
    try:
        return yaml.load(path.read_text(encoding="utf-8"), _Loader)  # noqa: S506 - a safe loader
    except yaml.MarkedYAMLError as error:
        line = f":{error.problem_mark.line + 1}" if error.problem_mark else ""
        raise InvalidError(f"{path}{line}: not YAML: {error.problem}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InvalidError(f"{path}: not YAML in UTF-8: {error}") from None
    except RecursionError:
        raise InvalidError(f"{path}: nested too deeply; write `models:` and a list of models") from None


def _complaint(path: Path, detail: dict[str, Any]) -> str:
    field = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in detail["loc"]).lstrip(".")
    if not field:
        return f"{path}: expected `models:` and a list of models"
    if field.endswith("apiKeyEnv"):  # the value may be the key itself
        return f"{path}: {field}: write the name of an environment variable, never the key"
    match detail["type"]:
        case "extra_forbidden":
            return f"{path}: {field} is not known: remove it or correct its spelling"
        case "missing":
            return f"{path}: {field} is missing: add it"
        case _:
            return f"{path}: {field}={detail['input']!r}: {detail['msg']}"
