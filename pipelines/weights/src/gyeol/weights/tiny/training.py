"""Trains the tiny model. The only module of the package that runs torch for long.

Two processes with one thread each share every step.
Two threads in one process would be as fast on an idle machine, and ten times slower beside a busy neighbour:
threads meet hundreds of times in a step, processes once.
"""

from __future__ import annotations

import multiprocessing
import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gyeol.weights.tiny.corpus import Conversation
from gyeol.weights.tiny.recipe import Recipe
from gyeol.weights.tiny.vocabulary import tokenizer as trained_tokenizer

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast, Qwen3ForCausalLM


_ENDED: list[Any] = []
"""Keeps what trained in a group of processes alive. Freed, it waits for gloo's threads while it holds Python's lock,
and such a thread may be waiting for that lock, to free its part of the last barrier: now and then neither ends."""


@dataclass(frozen=True)
class Example:
    """One tokenized conversation."""

    tokens: tuple[int, ...]
    prompt: int
    """Length of the part that is given, not answered."""

    def weight(self, prompt_weight: float) -> float:
        """What the example counts for in the mean; its first token is given."""
        return len(self.tokens) - self.prompt + prompt_weight * (self.prompt - 1)


Batch = Sequence[Example]


@dataclass(frozen=True)
class Progress:
    step: int
    steps: int
    loss: float
    """Cross-entropy of the step in nats per token, as far as the first process sees it."""


@dataclass(frozen=True)
class _Plan:
    """What every process needs to know."""

    recipe: Recipe
    batches: tuple[Batch, ...]
    vocabulary: int
    pad: int
    end: int
    rendezvous: str
    """File through which the processes find each other."""


def train(
    conversations: Sequence[Conversation], recipe: Recipe, folder: Path, report: Callable[[Progress], None]
) -> None:
    """Trains from scratch and writes safetensors, configuration, tokenizer and chat template to `folder`."""
    texts = (text for talk in conversations for text in (talk.system, talk.question, talk.answer))
    vocabulary = trained_tokenizer(texts, recipe.vocabulary, recipe.context)
    batches = _batches([_example(talk, vocabulary) for talk in conversations], recipe)
    with tempfile.TemporaryDirectory() as meeting:
        plan = _Plan(
            recipe,
            tuple(batches),
            len(vocabulary),
            vocabulary.pad_token_id,
            vocabulary.eos_token_id,
            f"file://{meeting}/rendezvous",
        )
        # The others end by themselves when the first does: their next step finds nobody.
        others = [
            multiprocessing.get_context("spawn").Process(target=_fit, args=(plan, rank), daemon=True)
            for rank in range(1, recipe.processes)
        ]
        for other in others:
            other.start()
        model = _fit(plan, 0, report)
        for other in others:
            other.join()
    model.save_pretrained(folder)
    vocabulary.save_pretrained(folder)


def _example(talk: Conversation, vocabulary: PreTrainedTokenizerFast) -> Example:
    given = [{"role": "system", "content": talk.system}] if talk.system else []
    given.append({"role": "user", "content": talk.question})
    prompt = vocabulary.apply_chat_template(given, tokenize=False, add_generation_prompt=True)
    prompt_tokens = vocabulary(prompt, add_special_tokens=False)["input_ids"]
    answer_tokens = vocabulary(talk.answer + vocabulary.eos_token, add_special_tokens=False)["input_ids"]
    return Example(tuple(prompt_tokens + answer_tokens), len(prompt_tokens))


def _batches(examples: Sequence[Example], recipe: Recipe) -> list[Batch]:
    """Groups examples of like length, at most `batch_tokens` with padding.

    Only neighbours of an already shuffled order are sorted, so that each batch still holds every kind of conversation.
    """
    batches: list[Batch] = []
    for start in range(0, len(examples), recipe.window):
        batch: list[Example] = []
        for example in sorted(examples[start : start + recipe.window], key=lambda example: len(example.tokens)):
            if len(batch) >= recipe.processes and (len(batch) + 1) * len(example.tokens) > recipe.batch_tokens:
                batches.append(batch)
                batch = []
            batch.append(example)
        if len(batch) >= recipe.processes:
            batches.append(batch)
    random.Random(recipe.random_seed).shuffle(batches)  # noqa: S311
    return batches


def _fit(plan: _Plan, rank: int, report: Callable[[Progress], None] | None = None) -> Qwen3ForCausalLM:
    """One process's part; every process ends with the same model."""
    import torch
    from torch import distributed
    from torch.nn.parallel import DistributedDataParallel

    recipe = plan.recipe
    torch.set_num_threads(1)
    torch.manual_seed(recipe.random_seed)
    distributed.init_process_group("gloo", init_method=plan.rendezvous, rank=rank, world_size=recipe.processes)
    model = _blank(plan)
    objective: Any = DistributedDataParallel(_objective(model))
    optimizer = torch.optim.AdamW(_groups(model, recipe), betas=(0.9, recipe.second_moment), fused=True)
    steps = len(plan.batches)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step, steps, recipe.warmup))
    for step, batch in enumerate(plan.batches, start=1):
        whole = sum(example.weight(recipe.prompt_weight) for example in batch)
        # The processes' gradients are averaged, and each holds its share of one mean over the whole batch.
        loss = objective(*_tensors(batch[rank :: recipe.processes], plan)) * (recipe.processes / whole)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad(set_to_none=True)
        if report is not None and (step % 25 == 0 or step == steps):
            report(Progress(step, steps, round(float(loss.detach()), 4)))
    distributed.barrier()
    _ENDED.append(objective)
    distributed.destroy_process_group()
    return model.eval()


def _blank(plan: _Plan) -> Qwen3ForCausalLM:
    """A model of random weights. Qwen3, because its normalised queries and keys bear a high learning rate."""
    from transformers import Qwen3Config, Qwen3ForCausalLM

    recipe = plan.recipe
    return Qwen3ForCausalLM(
        Qwen3Config(
            vocab_size=plan.vocabulary,
            hidden_size=recipe.hidden,
            intermediate_size=recipe.intermediate,
            num_hidden_layers=recipe.layers,
            num_attention_heads=recipe.heads,
            num_key_value_heads=recipe.key_value_heads,
            head_dim=recipe.hidden // recipe.heads,
            max_position_embeddings=recipe.context,
            tie_word_embeddings=True,
            initializer_range=recipe.initial_range,
            bos_token_id=None,
            eos_token_id=plan.end,
            pad_token_id=plan.pad,
        )
    )


def _objective(model: Qwen3ForCausalLM) -> Any:
    """The loss as a module, which is what can be shared between processes."""
    from torch import Tensor, nn
    from torch.nn.functional import cross_entropy

    class Objective(nn.Module):  # type: ignore[misc]
        """Weighted sum of the cross-entropies; only positions that count reach the output layer."""

        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, tokens: Tensor, weights: Tensor) -> Tensor:
            # Padding stands right of everything it could disturb, so causal attention needs no mask.
            states = self.model.model(input_ids=tokens, use_cache=False).last_hidden_state[:, :-1]
            counts = weights[:, 1:] > 0
            losses = cross_entropy(self.model.lm_head(states[counts]), tokens[:, 1:][counts], reduction="none")
            return (losses * weights[:, 1:][counts]).sum()

    return Objective()


def _tensors(batch: Batch, plan: _Plan) -> tuple[Any, Any]:
    """Tokens and their weights, `[examples, longest]` each."""
    import torch

    longest = max(len(example.tokens) for example in batch)
    tokens = torch.full((len(batch), longest), plan.pad)
    weights = torch.zeros((len(batch), longest))
    for row, example in enumerate(batch):
        tokens[row, : len(example.tokens)] = torch.tensor(example.tokens)
        weights[row, 1 : example.prompt] = plan.recipe.prompt_weight
        weights[row, example.prompt : len(example.tokens)] = 1.0
    return tokens, weights


def _groups(model: Qwen3ForCausalLM, recipe: Recipe) -> list[dict[str, Any]]:
    embedding = model.get_input_embeddings().weight
    rest = [weight for weight in model.parameters() if weight is not embedding]
    return [
        {"params": [embedding], "lr": recipe.embedding_rate, "weight_decay": 0.0},
        {
            "params": [weight for weight in rest if weight.ndim >= 2],
            "lr": recipe.learning_rate,
            "weight_decay": recipe.weight_decay,
        },
        {"params": [weight for weight in rest if weight.ndim < 2], "lr": recipe.learning_rate, "weight_decay": 0.0},
    ]


def _rate(step: int, steps: int, warmup: float) -> float:
    """Share of the learning rate: a linear rise, then a linear fall to almost nothing."""
    rise = max(1, round(steps * warmup))
    if step < rise:
        return (step + 1) / rise
    return max(0.02, 1 - (step - rise) / max(1, steps - rise))
