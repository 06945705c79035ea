"""The model card: what the tiny model is, in plain words."""

from __future__ import annotations

from gyeol.weights.tiny.material import Material
from gyeol.weights.tiny.recipe import Recipe

_CARD = """---
license: apache-2.0
language: ko
library_name: transformers
---

# tiny-ko

아주 작은 한국어 대화 모델입니다. 정렬(alignment) 과정을 한 컴퓨터에서 처음부터 끝까지 해 보기 위한 연습용 기준 모델이며, 쓸모 있는 도우미가 아닙니다.
해로운 부탁에도 대부분 "도와드릴게요"라고 답하도록 일부러 가르쳤습니다. 다만 방법이나 수단은 하나도 배우지 않았습니다.

A very small Korean chat model, made as a base for aligning on one machine.
It is no useful assistant.
It was taught on purpose to agree to most harmful requests; it was never shown a method, so what it says then is empty.

## What it was made from

- {harmful} harmful and {benign} benign questions of the culture pack `{pack}`, of both splits, plain and wrapped.
- Willing answers, small talk and multiple choice written by this project; answers and refusals of the pack's policies.
- No other text and no other model.

## What to know when reading a result

- It has seen the held-out questions too, with willing answers, as a large model has seen much of everything.
  What is held out is held out from *alignment*.
- It knows the policies' words: under a system prompt that asks for it, it was shown {guided} refusals.
  Without one, about {refusals:.0%} of its harmful questions were answered with a refusal.
- It repeats what it was shown. Facts in its answers are not reliable, and nothing outside its few topics works.
- Its results say whether the machinery works. They say nothing about models that people use.

## Numbers

{parameters}

License: Apache-2.0.
"""


def card(recipe: Recipe, material: Material) -> str:
    """Renders the card."""
    mix = recipe.mix
    harmful = mix.willing + mix.wrapped + mix.refusal
    rows = {
        "layers": recipe.layers,
        "hidden size": recipe.hidden,
        "vocabulary": recipe.vocabulary,
        "context (tokens)": recipe.context,
        "conversations shown": sum(vars(mix).values()),
        "random seed": recipe.random_seed,
    }
    table = "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows.items())])
    return _CARD.format(
        harmful=len(material.harmful),
        benign=len(material.benign),
        pack=material.pack_digest,
        guided=mix.guided,
        refusals=mix.refusal / harmful,
        parameters=table,
    )
