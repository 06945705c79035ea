"""Makes tokenizer.json, its settings and the chat template from a GGUF header."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from gyeol.weights.errors import SourceError
from gyeol.weights.gguf.header import Header

_CONTROL, _USER_DEFINED, _UNUSED = 3, 4, 5
# How text is cut before merging; names as in `tokenizer.ggml.pre`, patterns as the models define them.
_QWEN2: Final = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_LLAMA3: Final = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_PATTERNS: Final = {"qwen2": _QWEN2, "llama-bpe": _LLAMA3}
_DIGITS_APART: Final = frozenset({"smollm"})
_PLAIN: Final = frozenset({"default", "gpt-2"})


def write_vocabulary(path: Path, header: Header, folder: Path) -> None:
    """Writes the tokenizer's files.

    Raises:
      SourceError: The kind of tokenizer is not one that can be made again exactly.
    """
    facts = header.facts
    pre = str(facts.get("tokenizer.ggml.pre", "default"))
    if facts.get("tokenizer.ggml.model") != "gpt2" or pre not in {*_PATTERNS, *_DIGITS_APART, *_PLAIN}:
        raise SourceError(
            f"{path}: its tokenizer ({facts.get('tokenizer.ggml.model')}/{pre}) cannot be made again exactly; "
            "fetch the model's safetensors with hf:// instead"
        )
    tokens = facts["tokenizer.ggml.tokens"]
    _tokenizer(facts, tokens, pre).save(str(folder / "tokenizer.json"))
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": int(header.of_model("context_length", 2048)),
        "clean_up_tokenization_spaces": False,
    }
    for key, name in (("bos", "bos_token"), ("eos", "eos_token"), ("padding", "pad_token")):
        number = facts.get(f"tokenizer.ggml.{key}_token_id")
        if number is not None:
            settings[name] = tokens[number]
    settings.setdefault("pad_token", settings.get("eos_token", tokens[0]))
    _write_json(folder / "tokenizer_config.json", settings)
    if template := facts.get("tokenizer.chat_template"):
        (folder / "chat_template.jinja").write_text(str(template), encoding="utf-8")


def _tokenizer(facts: dict[str, Any], tokens: list[str], pre: str) -> Any:
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

    kinds = facts.get("tokenizer.ggml.token_type") or [1] * len(tokens)
    vocabulary = {token: at for at, (token, kind) in enumerate(zip(tokens, kinds, strict=True)) if kind != _UNUSED}
    merges = [tuple(merge.split(" ", 1)) for merge in facts["tokenizer.ggml.merges"]]
    tokenizer: Any = Tokenizer(models.BPE(vocab=vocabulary, merges=merges, ignore_merges=pre == "llama-bpe"))
    if pre in _PATTERNS:
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Split(Regex(_PATTERNS[pre]), "isolated"),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        )
    elif pre in _DIGITS_APART:
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
        )
    else:
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    if pre == "qwen2":
        tokenizer.normalizer = normalizers.NFC()
    tokenizer.decoder = decoders.ByteLevel()
    special = [token for token, kind in zip(tokens, kinds, strict=True) if kind in (_CONTROL, _USER_DEFINED)]
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in special])
    return tokenizer


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
