"""What is wrong with a file a person wrote: where, what, and what to do about it."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from pydantic_core import ErrorDetails

Location = tuple[str | int, ...]


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong."""

    path: str
    """Dotted path of the field, for example `spec.data.benignShare`; empty for the whole file."""
    message: str
    """What is wrong and what to do."""
    line: int | None = None
    """Line in the file, from 1."""


class SpecificationError(ValueError):
    """A file does not describe what it should. Its text names file, line, field, value and remedy."""

    def __init__(self, source: str, faults: Sequence[Fault]) -> None:
        self.source = source
        self.faults = tuple(faults)
        super().__init__("\n".join(self._sentence(fault) for fault in self.faults))

    def _sentence(self, fault: Fault) -> str:
        place = f"{self.source}:{fault.line}" if fault.line else self.source
        return f"{place}: {fault.path}: {fault.message}" if fault.path else f"{place}: {fault.message}"


def dotted(location: Location) -> str:
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def faults(errors: Sequence[ErrorDetails], model: type[BaseModel], line: Callable[[Location], int]) -> list[Fault]:
    """The pydantic errors in words, each ending with the remedy.

    Args:
      errors: As pydantic reports them.
      model: What was to be parsed.
      line: Line of a location.
    """
    found: list[Fault] = []
    meant: set[Location] = set()
    for error in errors:
        where = _within(error["loc"])
        known = _known_fields(model, where[:-1])
        if error["type"] == "extra_forbidden":
            near = difflib.get_close_matches(str(where[-1]), known, n=1)
            meant |= {(*where[:-1], name) for name in near}
            remedy = f"did you mean '{near[0]}'?" if near else f"known are {', '.join(known)}" if known else "remove it"
            found.append(Fault(dotted(where), f"is not a field; {remedy}", line(where)))
            continue
        message = _sentence(error)
        first, _, rest = message.partition(" ")
        if first in _known_fields(model, where):  # a check over several fields names the one to change first
            where, message = (*where, first), rest
        found.append(Fault(dotted(where), message, line(where)))
    misspelt = {dotted(where) for where in meant}
    return [fault for fault in found if not (fault.path in misspelt and fault.message.startswith("is required"))]


def _sentence(error: ErrorDetails) -> str:
    kind, value, context = error["type"], error["input"], error.get("ctx", {})
    if kind == "missing":
        return f"is required; add '{error['loc'][-1]}'"
    if kind == "literal_error":
        return f"{_shown(value)} is not known; write one of {context['expected'].replace(' or ', ', ')}"
    if kind == "value_error":
        return f"{_shown(value)} {context['error']}" if _scalar(value) else str(context["error"])
    if kind in _TYPES:
        return f"{_shown(value)} is not {_TYPES[kind][0]}; {_TYPES[kind][1]}"
    if kind in _BOUNDS:
        name, outside, inside = _BOUNDS[kind]
        return f"{_shown(value)} {outside} {context[name]}; write {context[name]} or {inside}"
    return f"{_shown(value)} is refused: {error['msg'][0].lower()}{error['msg'][1:]}"


_WHOLE = ("a whole number", "write digits without quotes")
_TYPES = {
    "string_type": ("a text", "put it in quotes"),
    "int_type": _WHOLE,
    "int_from_float": _WHOLE,
    "int_parsing": _WHOLE,
    "bool_type": ("a truth value", "write true or false"),
    "model_type": ("a mapping", "write its fields below it"),
    "dict_type": ("a mapping", "write keys and values below it"),
    "tuple_type": ("a list", "write it as [a, b]"),
}
_BOUNDS = {
    "greater_than_equal": ("ge", "is below", "more"),
    "less_than_equal": ("le", "is above", "less"),
    "too_short": ("min_length", "has fewer entries than", "more"),
    "too_long": ("max_length", "has more entries than", "fewer"),
    "string_too_long": ("max_length", "has more characters than", "fewer"),
    "string_too_short": ("min_length", "has fewer characters than", "more"),
}


def _within(location: Location) -> Location:
    """The location without the tags that pydantic adds for the branches of a union."""
    return tuple(part for part in location if not (isinstance(part, str) and ("[" in part or part in ("int", "str"))))


def _scalar(value: Any) -> bool:
    return value is None or isinstance(value, (str, int, float))


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if value is None:
        return "nothing"
    if _scalar(value):
        text = repr(value)
        return text if len(text) <= 80 else text[:77] + "...'"
    return "a mapping" if isinstance(value, dict) else "a list"


def _known_fields(model: type[BaseModel], location: Location) -> list[str]:
    """Names of the fields at `location`, following models through lists and optional values."""
    found: Any = model
    for part in location:
        if isinstance(part, int):
            continue
        fields = {info.alias or name: info for name, info in found.model_fields.items()}
        if part not in fields:
            return []
        found = _inner_model(fields[part].annotation)
        if found is None:
            return []
    return [info.alias or name for name, info in found.model_fields.items()]


def _inner_model(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in getattr(annotation, "__args__", ()):
        if (inner := _inner_model(argument)) is not None:
            return inner
    return None
