"""Sealed datasets as the ledger writes them, and a very small model that can be trained on them in seconds."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

_MESSAGES = pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))
SCHEMA = pa.schema(
    [(name, _MESSAGES) for name in ("prompt", "chosen", "rejected")]
    + [(name, pa.string()) for name in ("kind", "stratum", "category", "type", "seed_id", "mold_id", "triplet_id")]
    + [("policy_version", pa.int32())]
    + [(name, pa.string()) for name in ("policy_digest", "chosen_writer", "law_as_of")]
    + [("citations", pa.list_(pa.string()))]
)
CHAT_TEMPLATE = (
    "{% for message in messages %}{{ '<|start|>' + message['role'] + '\n' + message['content'] + '<|end|>' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|start|>assistant\n' }}{% endif %}"
)


def row(number: int, chosen: str, rejected: str, **other: Any) -> dict[str, Any]:
    """One row; its mold is shared by neighbours of four."""
    return {
        "prompt": [{"role": "user", "content": f"질문 {number}번에 답해 주세요."}],
        "chosen": [{"role": "assistant", "content": chosen}],
        "rejected": [{"role": "assistant", "content": rejected}],
        "kind": "benign" if number % 3 == 0 else "harmful",
        "stratum": "I",
        "category": "A",
        "type": "A.harassment",
        "seed_id": f"seed-{number}",
        "mold_id": f"A.harassment.m{number // 4}",
        "triplet_id": f"{number:032x}",
        "policy_version": 1,
        "policy_digest": "sha256:aa",
        "chosen_writer": "statute-first",
        "law_as_of": "2026-11-30",
        "citations": ["형법 제311조"],
    } | other


def rows(count: int) -> list[dict[str, Any]]:
    return [
        row(
            number,
            f"{number}번은 도와드리기 어렵습니다. 형법 제311조를 살펴봐 주세요.",
            f"네, {number}번은 이렇게 하면 됩니다.",
        )
        for number in range(count)
    ]


def seal(folder: Path, data: Sequence[dict[str, Any]]) -> Path:
    """Writes one shard and the manifest."""
    (folder / "data").mkdir(parents=True)
    shard = folder / "data" / "train-00000-of-00001.parquet"
    pq.write_table(pa.Table.from_pylist(list(data), schema=SCHEMA), shard, compression="zstd")
    leaves = [
        hashlib.sha256(
            b"\x00" + json.dumps(one, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
        ).digest()
        for one in data
    ]
    manifest = {
        "schema": "gyeol.dev/dataset/v1",
        "digest": f"sha256:{_root(leaves).hex()}",
        "rows": len(data),
        "files": [
            {
                "path": "data/train-00000-of-00001.parquet",
                "bytes": shard.stat().st_size,
                "rows": len(data),
                "sha256": hashlib.sha256(shard.read_bytes()).hexdigest(),
            }
        ],
        "pack": {"name": "ko-KR", "digest": "sha256:bb"},
    }
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


def _root(leaves: list[bytes]) -> bytes:
    """RFC 6962, written as the RFC words it, so that it checks the streaming form."""
    if len(leaves) == 1:
        return leaves[0]
    half = 1
    while half * 2 < len(leaves):
        half *= 2
    return hashlib.sha256(b"\x01" + _root(leaves[:half]) + _root(leaves[half:])).digest()


def tiny_model(folder: Path, texts: Sequence[str], chat_template: str | None = CHAT_TEMPLATE) -> Path:
    """An untrained Llama of a few thousand parameters with a tokenizer of its own, and the manifest of a model folder."""
    import torch
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    torch.manual_seed(0)
    inner = Tokenizer(models.BPE())
    inner.normalizer = normalizers.NFC()
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    special = ["<|pad|>", "<|start|>", "<|end|>"]
    inner.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=400,
            special_tokens=special,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, pad_token="<|pad|>", eos_token="<|end|>")
    tokenizer.chat_template = chat_template
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=48,
            intermediate_size=96,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=256,
            tie_word_embeddings=True,
            bos_token_id=None,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    digest = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    manifest = {"digest": f"sha256:{digest}", "uri": "file:///tiny", "licence": "Apache-2.0", "files": []}
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder
