"""The tiny model as a GGUF file, for the engine over llama.cpp."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support import tiny_model

NAMES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}


def write(folder: Path, model: Any) -> Path:
    """Writes a folder with `tiny.gguf`, which holds a model of `tiny_model`, and a manifest."""
    import gguf
    import numpy as np

    folder.mkdir()
    words = tiny_model.tokenizer()
    shape = model.config
    file: Any = gguf.GGUFWriter(str(folder / "tiny.gguf"), "llama")
    file.add_context_length(shape.max_position_embeddings)
    file.add_embedding_length(shape.hidden_size)
    file.add_block_count(shape.num_hidden_layers)
    file.add_feed_forward_length(shape.intermediate_size)
    file.add_head_count(shape.num_attention_heads)
    file.add_head_count_kv(shape.num_key_value_heads)
    file.add_layer_norm_rms_eps(shape.rms_norm_eps)
    file.add_rope_dimension_count(shape.hidden_size // shape.num_attention_heads)
    file.add_vocab_size(shape.vocab_size)
    _add_words(file, words)
    for name, tensor in model.state_dict().items():
        values = tensor.float().numpy()
        if name.endswith("q_proj.weight"):
            values = _interleaved(values, shape.num_attention_heads)
        if name.endswith("k_proj.weight"):
            values = _interleaved(values, shape.num_key_value_heads)
        if name != "lm_head.weight":
            file.add_tensor(_renamed(name), np.ascontiguousarray(values))
    file.write_header_to_file()
    file.write_kv_data_to_file()
    file.write_tensors_to_file()
    file.close()
    return tiny_model.sealed(folder)


def _add_words(file: Any, words: Any) -> None:
    model = json.loads(words.backend_tokenizer.to_str())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].get)
    control, normal = 3, 1
    file.add_tokenizer_model("gpt2")
    file.add_tokenizer_pre("gpt-2")
    file.add_token_list(tokens)
    file.add_token_types([control if token in tiny_model.SPECIAL else normal for token in tokens])
    file.add_token_merges([" ".join(pair) for pair in model["merges"]])
    file.add_eos_token_id(words.eos_token_id)
    file.add_pad_token_id(words.pad_token_id)
    file.add_add_bos_token(False)
    file.add_chat_template(tiny_model.TEMPLATE)


def _renamed(name: str) -> str:
    if name in ("model.embed_tokens.weight", "model.norm.weight"):
        return {"model.embed_tokens.weight": "token_embd.weight", "model.norm.weight": "output_norm.weight"}[name]
    layer, part = name.removeprefix("model.layers.").removesuffix(".weight").split(".", 1)
    return f"blk.{layer}.{NAMES[part]}.weight"


def _interleaved(values: Any, heads: int) -> Any:
    """llama.cpp rotates neighbouring pairs, transformers the two halves of a head."""
    return (
        values.reshape(heads, 2, values.shape[0] // heads // 2, *values.shape[1:]).swapaxes(1, 2).reshape(values.shape)
    )
