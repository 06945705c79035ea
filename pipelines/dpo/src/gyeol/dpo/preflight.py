"""Preflight: what real tokens say about a dataset and a model, before a GPU is taken.

Pure but for the tokenizer it is handed. Findings that rule training out are faults, the rest are warnings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from gyeol.dpo.dataset import Pairs
from gyeol.dpo.parameter import Parameters

_BUCKET = 64


class Tokenizer(Protocol):
    """What preflight needs of a Hugging Face tokenizer."""

    bos_token_id: int | None
    eos_token_id: int | None
    pad_token_id: int | None
    chat_template: str | None

    def apply_chat_template(self, conversation: Any, **options: Any) -> Any: ...


@dataclass(frozen=True)
class Preflight:
    """What was found; JSON-ready."""

    pairs: int
    held_out: int
    longest: int
    """Tokens of the longest prompt and answer together."""
    mean: float
    histogram: dict[str, int]
    """Sequences per bucket of 64 tokens, by its upper end."""
    truncated: int
    """Answers that would lose their end at `maxLength`."""
    memory_bytes: int
    """Rough estimate for one process: weights, gradients, optimizer and activations."""
    faults: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def summary(self) -> str:
        return "; ".join(self.faults) or f"{self.pairs} pairs, longest {self.longest} tokens"


def preflight(pairs: Pairs, tokenizer: Tokenizer, parameters: Parameters, weights: int, vocabulary: int) -> Preflight:
    """Examines every row.

    Args:
      pairs: The split dataset.
      tokenizer: The base model's.
      parameters: For `maxLength` and the method.
      weights: Number of the base model's parameters.
      vocabulary: Width of its output.
    """
    faults: list[str] = []
    warnings: list[str] = []
    if not tokenizer.chat_template:
        faults.append(
            "the tokenizer has no chat template; use an instruction model, or add chat_template.jinja to its folder"
        )
        return Preflight(len(pairs.train), len(pairs.held_out), 0, 0.0, {}, 0, 0, faults, warnings)
    if tokenizer.eos_token_id is None:
        faults.append("the tokenizer has no EOS token; the model could never learn to stop")
    if tokenizer.pad_token_id is not None and tokenizer.pad_token_id == tokenizer.eos_token_id:
        warnings.append("PAD and EOS are one token; the trainer masks by attention, not by token")
    lengths: list[int] = []
    counted: Counter[str] = Counter()
    for row in (*pairs.train, *pairs.held_out):
        counted.update(_row(row, tokenizer, parameters, lengths))
    faults += [_FAULTS[name].format(count) for name, count in counted.items() if name in _FAULTS]
    warnings += [_WARNINGS[name].format(count) for name, count in counted.items() if name in _WARNINGS]
    shared = {_text(row["prompt"]) for row in pairs.train} & {_text(row["prompt"]) for row in pairs.held_out}
    if shared:
        faults.append(f"{len(shared)} prompts stand in both the training rows and the held-out rows")
    if not any(row["kind"] == "benign" for row in pairs.train):
        warnings.append("no benign pairs: the model may learn to refuse everything; set data.benignShare")
    histogram = Counter((length // _BUCKET + 1) * _BUCKET for length in lengths)
    return Preflight(
        pairs=len(pairs.train),
        held_out=len(pairs.held_out),
        longest=max(lengths),
        mean=round(sum(lengths) / len(lengths), 1),
        histogram={str(end): histogram[end] for end in sorted(histogram)},
        truncated=counted["truncated"],
        memory_bytes=_memory(parameters, weights, vocabulary, max(lengths)),
        faults=faults,
        warnings=warnings,
    )


_FAULTS = {
    "truncated": "{} answers would be cut at maxLength; raise training.maxLength",
    "identical": "{} pairs have the same chosen and rejected answer",
    "empty": "{} pairs have an empty answer",
    "boundary": "{} prompts change their tokens when the answer follows; the chat template does not separate the turns",
    "no-eos": "{} answers do not end with EOS under the chat template; the model could never learn to stop",
}
_WARNINGS = {
    "double-bos": "{} sequences begin with two BOS tokens; the chat template and the tokenizer both add one",
    "planted": "{} answers contain a special token as text",
}


def _row(row: dict[str, Any], tokenizer: Tokenizer, parameters: Parameters, lengths: list[int]) -> Counter[str]:
    found: Counter[str] = Counter()
    prompt = _tokens(tokenizer, row["prompt"], add_generation_prompt=True)
    if _text(row["chosen"]) == _text(row["rejected"]):
        found["identical"] += 1
    for side in ("chosen", "rejected"):
        whole = _tokens(tokenizer, [*row["prompt"], *row[side]])
        lengths.append(len(whole))
        text = _text(row[side])
        found["empty"] += not text.strip()
        found["truncated"] += len(whole) > parameters.max_length
        found["boundary"] += whole[: len(prompt)] != prompt
        found["planted"] += "<|" in text
        found["double-bos"] += tokenizer.bos_token_id is not None and whole[:2] == [tokenizer.bos_token_id] * 2
        if side == "chosen":
            found["no-eos"] += tokenizer.eos_token_id not in whole[len(prompt) :]
    return +found


def _tokens(tokenizer: Tokenizer, messages: Sequence[Any], **options: Any) -> list[int]:
    found = tokenizer.apply_chat_template(list(messages), tokenize=True, return_dict=True, **options)
    return list(found["input_ids"])


def _text(messages: Sequence[dict[str, str]]) -> str:
    return "\n".join(message["content"] for message in messages)


def _memory(parameters: Parameters, weights: int, vocabulary: int, longest: int) -> int:
    """Bytes for one process: a lower bound that catches what can never fit."""
    stored: Callable[[int], float] = {
        "Full": lambda n: 16.0 * n,
        "LoRA": lambda n: 4.4 * n,
        "QLoRA": lambda n: 0.9 * n,
    }[parameters.method]
    logits = 2 * longest * vocabulary * 4 * 3
    return int(stored(weights) + logits)
