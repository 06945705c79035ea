"""Dequantises tensors and names them as transformers does."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Final

from gyeol.weights.errors import DamagedError, SourceError
from gyeol.weights.gguf.header import Header, TensorInfo

ARCHITECTURES: Final = {"llama": "LlamaForCausalLM", "qwen2": "Qwen2ForCausalLM", "qwen3": "Qwen3ForCausalLM"}
_IN_BLOCK: Final = {
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
}
_OUTSIDE: Final = {
    "token_embd.weight": "model.embed_tokens.weight",
    "output_norm.weight": "model.norm.weight",
    "output.weight": "lm_head.weight",
}
_UNUSED: Final = frozenset({"rope_freqs.weight"})


def weights(path: Path, header: Header) -> dict[str, Any]:
    """Every tensor as float32 numpy array by its name in transformers.

    Raises:
      SourceError: The architecture or a tensor is not known.
      DamagedError: The file ends before a tensor does.
    """
    import numpy

    if header.architecture not in ARCHITECTURES:
        raise SourceError(
            f"{path}: architecture {header.architecture!r} is not one of {', '.join(ARCHITECTURES)}; "
            "fetch the model's safetensors with hf:// instead"
        )
    data = numpy.memmap(path, dtype=numpy.uint8, mode="r")
    heads = int(header.of_model("attention.head_count"))
    key_heads = int(header.of_model("attention.head_count_kv", heads))
    found = {}
    for info in header.tensors:
        if info.name in _UNUSED:
            continue
        values = _dequantised(path, data, info)
        if header.architecture == "llama" and info.name.endswith(("attn_q.weight", "attn_k.weight")):
            values = _unpaired(values, heads if info.name.endswith("attn_q.weight") else key_heads)
        found[_named(path, info.name)] = values
    return found


def tied(found: dict[str, Any]) -> bool:
    """Whether input and output embeddings were one tensor before they were quantised apart.

    llama.cpp stores both with different precision; what differs by rounding only was one.
    """
    import numpy

    head, embedding = found.get("lm_head.weight"), found["model.embed_tokens.weight"]
    if head is None:
        return True
    if head.shape != embedding.shape:
        return False
    rows = numpy.linspace(0, len(head) - 1, min(len(head), 512)).astype(int)
    return bool(numpy.abs(head[rows] - embedding[rows]).mean() < 0.1 * numpy.abs(head[rows]).mean())


def _dequantised(path: Path, data: Any, info: TensorInfo) -> Any:
    import numpy
    from gguf import GGMLQuantizationType, quants
    from gguf.constants import GGML_QUANT_SIZES

    try:
        kind = GGMLQuantizationType(info.kind)
        block, size = GGML_QUANT_SIZES[kind]
    except (ValueError, KeyError) as error:
        raise SourceError(f"{path}: {info.name} has the unknown quantisation {info.kind}; use a newer gguf") from error
    count = math.prod(info.shape)
    end = info.offset + count // block * size
    if end > len(data):
        raise DamagedError(f"{path}: {info.name} reaches beyond the end of the file; fetch it again")
    raw = data[info.offset : end]
    if kind == GGMLQuantizationType.F32:
        return raw.view(numpy.float32).reshape(info.shape).copy()
    rows = raw.reshape(*info.shape[:-1], -1)
    return numpy.asarray(quants.dequantize(rows, kind), dtype=numpy.float32).reshape(info.shape)


def _unpaired(values: Any, heads: int) -> Any:
    """Undoes llama.cpp's order of rotary pairs: interleaved there, halves here."""
    return (
        values.reshape(heads, values.shape[0] // heads // 2, 2, *values.shape[1:]).swapaxes(2, 1).reshape(values.shape)
    )


def _named(path: Path, name: str) -> str:
    if name in _OUTSIDE:
        return _OUTSIDE[name]
    parts = name.split(".")
    if parts[0] == "blk" and len(parts) == 4 and parts[2] in _IN_BLOCK:
        return f"model.layers.{parts[1]}.{_IN_BLOCK[parts[2]]}.{parts[3]}"
    raise SourceError(f"{path}: tensor {name!r} has no place in the model; fetch its safetensors with hf:// instead")
