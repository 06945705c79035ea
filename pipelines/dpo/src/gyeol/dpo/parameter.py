"""Training parameters: the `training` section of an AlignmentRun, as far as it concerns the trainer.

Where pods run and what they may use is the operator's business; those fields are accepted and left alone.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from gyeol.dpo.errors import ParameterError


def _decimal(value: Any) -> float:
    if not isinstance(value, str):
        raise ValueError(f'write it as a decimal string, for example "{value}"')
    try:
        number = Decimal(value)
    except InvalidOperation:
        raise ValueError('write a decimal string such as "0.1"') from None
    if not number.is_finite():
        raise ValueError("write a finite number")
    return float(number)


Number = Annotated[float, BeforeValidator(_decimal)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, alias_generator=to_camel, populate_by_name=True)


class Loss(_Model):
    name: Literal["sigmoid", "hinge", "ipo", "robust", "apo_zero", "apo_down", "sft"]
    """Loss of TRL's DPOTrainer; `sft` on the chosen answer keeps the text readable."""
    weight: Annotated[Number, Field(gt=0)]


class Adapter(_Model):
    rank: Annotated[int, Field(ge=1, le=1024)] = 16
    alpha: Annotated[int, Field(ge=1, le=4096)] = 32


class Parameters(_Model):
    method: Literal["LoRA", "QLoRA", "Full"]
    loss: Annotated[tuple[Loss, ...], Field(min_length=1, max_length=4)]
    beta: Annotated[Number, Field(gt=0)]
    learning_rate: Annotated[Number, Field(gt=0)]
    epochs: Annotated[int, Field(ge=1, le=100)]
    batch_size: Annotated[int, Field(ge=1, le=65536)] = 8
    """Pairs in one optimizer step, all processes together."""
    max_length: Annotated[int, Field(ge=64, le=131072)] = 1024
    """Tokens of prompt and answer together."""
    adapter: Adapter = Adapter()
    random_seed: Annotated[int, Field(ge=0, le=2**32 - 1)] = 0
    warmup_share: Annotated[Number, Field(ge=0, lt=1)] = 0.0

    @model_validator(mode="after")
    def _prefers(self) -> Parameters:
        if {term.name for term in self.loss} == {"sft"}:
            raise ValueError('loss has no preference term; add one, for example {name: sigmoid, weight: "1.0"}')
        return self


def parameters(path: Path) -> Parameters:
    """Reads a parameter file.

    Raises:
      ParameterError: It cannot be read, or a field is missing or wrong.
    """
    try:
        return Parameters.model_validate_json(path.read_bytes())
    except OSError as error:
        raise ParameterError(f"{path}: cannot be read: {error.strerror}") from error
    except ValidationError as error:
        problems = (
            f"{'.'.join(str(part) for part in one['loc']) or 'document'}: {one['msg']} (value: {one['input']!r:.60})"
            for one in error.errors()
        )
        raise ParameterError(f"{path}: {'; '.join(problems)}") from None
