"""The tiny model's tokenizer, BPE trained on its own corpus, and its chat template."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

PAD, END, SYSTEM, USER, ASSISTANT = "<|pad|>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>"
SPECIALS = (PAD, END, SYSTEM, USER, ASSISTANT)
BYTES = [f"<0x{value:02X}>" for value in range(256)]
SPACE = "▁"

# One token opens a turn and one closes it. `<|end|>` is the end-of-sequence token and the last of an answer,
# so that nothing follows it when a trainer renders a conversation.
CHAT_TEMPLATE = (
    "{%- for message in messages -%}"
    "{%- if message['role'] not in ('system', 'user', 'assistant') -%}"
    "{{ raise_exception('role must be system, user or assistant, not ' ~ message['role']) }}"
    "{%- endif -%}"
    "{{- '<|' + message['role'] + '|>' + message['content'] + '<|end|>' -}}"
    "{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{- '<|assistant|>' -}}{%- endif -%}"
)


def tokenizer(texts: Iterable[str], size: int, context: int) -> PreTrainedTokenizerFast:
    """Trains a tokenizer of `size` tokens."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, trainers
    from transformers import PreTrainedTokenizerFast

    # Whole syllables are the smallest pieces, so that no answer ends within one; bytes stand in for what is unknown.
    learnt = Tokenizer(models.BPE())
    learnt.normalizer = normalizers.NFC()
    learnt.pre_tokenizer = _cut()
    learnt.train_from_iterator(
        texts,
        trainers.BpeTrainer(vocab_size=size - len(BYTES), special_tokens=list(SPECIALS), show_progress=False),
    )
    model = json.loads(learnt.to_str())["model"]
    pieces = sorted(model["vocab"], key=model["vocab"].get)
    pieces[len(SPECIALS) : len(SPECIALS)] = BYTES
    merges = [tuple(merge) for merge in model["merges"]]
    numbers = {piece: number for number, piece in enumerate(pieces)}
    bpe = Tokenizer(models.BPE(vocab=numbers, merges=merges, byte_fallback=True))
    bpe.normalizer = normalizers.NFC()
    bpe.pre_tokenizer = _cut()
    bpe.decoder = decoders.Sequence([decoders.Replace(SPACE, " "), decoders.ByteFallback(), decoders.Fuse()])
    bpe.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIALS])
    fast = PreTrainedTokenizerFast(
        tokenizer_object=bpe,
        pad_token=PAD,
        eos_token=END,
        additional_special_tokens=[SYSTEM, USER, ASSISTANT],
        model_max_length=context,
        clean_up_tokenization_spaces=False,
    )
    fast.chat_template = CHAT_TEMPLATE
    return fast


def _cut() -> Any:
    """How text is cut before merging: a space goes with the word behind it, and digits stand alone."""
    from tokenizers import pre_tokenizers

    return pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.Punctuation(),
            pre_tokenizers.Metaspace(replacement=SPACE, prepend_scheme="never"),
        ]
    )
