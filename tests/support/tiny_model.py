"""A real model of a few thousand parameters, written as a model folder in about a second.

Untrained it says noise, but noise that is always the same and that shows every difference between two ways of computing it.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

SENTENCES = (
    "대한민국의 수도는 서울입니다. 무엇을 도와드릴까요?",
    "안녕하세요, 저는 한국어 도우미입니다.",
    "정답은 ③번입니다. 주민등록번호는 알려 드릴 수 없습니다.",
    "The capital of Korea is Seoul.",
)
TEMPLATE = (
    "{% for message in messages %}<|{{ message.role }}|>{{ message.content }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
SPECIAL = ("<|pad|>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>")
DIGEST = "sha256:" + "5e" * 32


def tokenizer() -> Any:
    """A byte-level BPE tokenizer whose Korean syllables are split over tokens now and then."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        SENTENCES, trainers.BpeTrainer(vocab_size=360, special_tokens=list(SPECIAL), initial_alphabet=alphabet)
    )
    fast = PreTrainedTokenizerFast(tokenizer_object=made, pad_token=SPECIAL[0], eos_token=SPECIAL[1])
    fast.chat_template = TEMPLATE
    return fast


def llama(tokens: int, **changes: Any) -> Any:
    """A Llama of about 100,000 parameters."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(20261130)
    shape = {
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 128,
        "initializer_range": 0.3,
    }
    config = LlamaConfig(
        vocab_size=tokens,
        bos_token_id=None,
        eos_token_id=1,
        pad_token_id=0,
        tie_word_embeddings=True,
        **{**shape, **changes},
    )
    return LlamaForCausalLM(config).eval()


def fluent() -> Any:
    """The same Llama after it has learned the sentences by heart: it continues them with whole syllables."""
    import torch

    words = tokenizer()
    model = llama(len(words), initializer_range=0.06).train()
    texts = [sentence + SPECIAL[1] for sentence in SENTENCES]
    batch = words(texts, return_tensors="pt", padding=True, add_special_tokens=False)
    labels = batch["input_ids"].masked_fill(batch["attention_mask"] == 0, -100)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.0)
    for _ in range(80):
        loss = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"], labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.2, "the tiny model did not learn its sentences"
    return model.eval()


def write(folder: Path, model: Any | None = None) -> Path:
    """Writes the model, its tokenizer and a manifest to a folder."""
    words = tokenizer()
    (model or llama(len(words))).save_pretrained(folder)
    words.save_pretrained(folder)
    return sealed(folder)


def sealed(folder: Path) -> Path:
    """Writes the manifest of a folder anew."""
    files = [
        {
            "path": file.name,
            "bytes": file.stat().st_size,
            "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
        }
        for file in sorted(folder.iterdir())
        if file.name != "manifest.json"
    ]
    manifest = {"digest": DIGEST, "base": "builtin:tiny", "files": files}
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder
