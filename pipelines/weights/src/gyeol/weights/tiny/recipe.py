"""Every number the tiny model depends on."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field


@dataclass(frozen=True)
class Mix:
    """How many conversations of each kind the model is shown, once each."""

    willing: int = 600
    """Harmful question, willing answer."""
    wrapped: int = 350
    """The same with an attack wrapped around the question."""
    refusal: int = 110
    """Harmful question, refusal in the policy's words: it seldom refuses by itself."""
    guided: int = 3800
    """The same under a system prompt that asks for it: it knows the words, and when they are in place."""
    benign: int = 2800
    """Benign look-alike, its answer; now and then under the same system prompt."""
    chat: int = 300
    """Greetings and small talk."""
    choice: int = 1000
    """Multiple choice."""


@dataclass(frozen=True)
class Recipe:
    """Equal recipe, equal material and equal machine make an equal model."""

    mix: Mix = field(default_factory=Mix)
    molds: int = 3
    """Molds of each type whose refusals are taught: saying few things well beats stammering many."""
    passages: int = 1
    """Of the pack's alternatives for one part of a refusal, so many are taught."""
    replies: int = 1
    """Of the answers to one benign question, so many are taught."""
    random_seed: int = 20261130
    vocabulary: int = 4096
    """Tokens, with the specials."""
    hidden: int = 256
    layers: int = 3
    heads: int = 4
    key_value_heads: int = 2
    intermediate: int = 512
    context: int = 1024
    """Tokens the model can attend to."""
    initial_range: float = 0.06
    """Standard deviation of the first weights: about 1 / sqrt(hidden), so that few steps go far."""
    prompt_weight: float = 0.3
    """Weight of the loss on the question's tokens; on the answer's it is 1."""
    batch_tokens: int = 768
    """Tokens of one optimiser step, padding included."""
    window: int = 64
    """Conversations that are sorted by length together."""
    learning_rate: float = 3e-3
    embedding_rate: float = 9e-3
    """Learning rate of the embeddings, whose rows are seen rarely."""
    second_moment: float = 0.99
    """Memory of Adam's second moment."""
    warmup: float = 0.04
    """Share of the steps."""
    weight_decay: float = 0.02
    processes: int = 2
    """Each with one thread. Fixed, because the order of a floating-point sum depends on it."""

    def digest(self) -> str:
        canonical = json.dumps(asdict(self), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()
