"""A tiny model written as GGUF and read back: what it computes must be the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gguf
import numpy
import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, Qwen2Config, Qwen2ForCausalLM

from gyeol.weights.__main__ import main
from support import tiny_model

pytestmark = pytest.mark.needs_model

NAMES = {
    "model.embed_tokens.weight": "token_embd.weight",
    "model.norm.weight": "output_norm.weight",
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


def named(name: str) -> str:
    """The name a tensor has in GGUF."""
    for ours, theirs in NAMES.items():
        name = name.replace(ours, theirs)
    return name.replace("model.layers.", "blk.")


def paired(values: Any, heads: int) -> Any:
    """llama.cpp keeps the two numbers that a rotation turns beside each other."""
    rows = values.shape[0]
    return values.reshape(heads, 2, rows // heads // 2, *values.shape[1:]).swapaxes(1, 2).reshape(values.shape)


def write_gguf(path: Path, model: Any, words: Any, architecture: str, kind: gguf.GGMLQuantizationType) -> None:
    config = model.config
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(10000.0)
    writer.add_license("apache-2.0")
    vocabulary = json.loads(words.backend_tokenizer.to_str())["model"]
    tokens = words.convert_ids_to_tokens(range(len(words)))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types([3 if token in tiny_model.SPECIAL else 1 for token in tokens])
    writer.add_token_merges([" ".join(merge) for merge in vocabulary["merges"]])
    writer.add_eos_token_id(1)
    writer.add_pad_token_id(0)
    writer.add_chat_template(tiny_model.TEMPLATE)
    for name, tensor in model.state_dict().items():
        if name == "lm_head.weight":
            continue
        values = tensor.float().numpy()
        if architecture == "llama" and "q_proj.weight" in name:
            values = paired(values, config.num_attention_heads)
        if architecture == "llama" and "k_proj.weight" in name:
            values = paired(values, config.num_key_value_heads)
        if values.ndim == 2 and kind != gguf.GGMLQuantizationType.F32:
            writer.add_tensor(named(name), gguf.quants.quantize(numpy.ascontiguousarray(values), kind), raw_dtype=kind)
        else:
            writer.add_tensor(named(name), numpy.ascontiguousarray(values))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def qwen2(tokens: int) -> Any:
    torch.manual_seed(1)
    config = Qwen2Config(
        vocab_size=tokens,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=128,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=1,
        pad_token_id=0,
    )
    model = Qwen2ForCausalLM(config).eval()
    for name, weight in model.named_parameters():
        if name.endswith("bias"):
            torch.nn.init.normal_(weight)
    return model


def get(path: Path, tmp_path: Path) -> tuple[int, Path]:
    output = tmp_path / "out"
    return main(["get", f"gguf:{path}", "--output", str(output), "--cache", str(tmp_path / "cache")]), output


@pytest.mark.parametrize("architecture", ["llama", "qwen2"])
def test_a_model_computes_the_same_after_the_round_trip(architecture: str, tmp_path: Path) -> None:
    words = tiny_model.tokenizer()
    model = {"llama": tiny_model.llama, "qwen2": qwen2}[architecture](len(words))
    write_gguf(tmp_path / "tiny.gguf", model, words, architecture, gguf.GGMLQuantizationType.F32)
    status, output = get(tmp_path / "tiny.gguf", tmp_path)
    assert status == 0
    tokens = torch.arange(5, 45)[None]
    read = AutoModelForCausalLM.from_pretrained(output)
    with torch.inference_mode():
        assert torch.allclose(read(tokens).logits, model(tokens).logits, atol=1e-5)


def test_the_tokenizer_and_the_template_come_along(tmp_path: Path) -> None:
    words = tiny_model.tokenizer()
    write_gguf(tmp_path / "tiny.gguf", tiny_model.llama(len(words)), words, "llama", gguf.GGMLQuantizationType.F32)
    _, output = get(tmp_path / "tiny.gguf", tmp_path)
    read = AutoTokenizer.from_pretrained(output)
    talk = [{"role": "user", "content": "주민등록번호는 비밀인가요? 12 Seoul"}]
    assert read.apply_chat_template(talk, add_generation_prompt=True) == words.apply_chat_template(
        talk, add_generation_prompt=True
    )
    assert (read.eos_token, read.pad_token) == (words.eos_token, words.pad_token)


def test_quantised_weights_come_back_within_their_precision(tmp_path: Path) -> None:
    words = tiny_model.tokenizer()
    model = tiny_model.llama(len(words))
    write_gguf(tmp_path / "tiny.gguf", model, words, "llama", gguf.GGMLQuantizationType.Q8_0)
    status, output = get(tmp_path / "tiny.gguf", tmp_path)
    assert status == 0
    read = AutoModelForCausalLM.from_pretrained(output).state_dict()
    for name, weight in model.state_dict().items():
        assert (read[name] - weight).abs().max() <= weight.abs().max() / 127


def test_a_truncated_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = tiny_model.tokenizer()
    whole = tmp_path / "tiny.gguf"
    write_gguf(whole, tiny_model.llama(len(words)), words, "llama", gguf.GGMLQuantizationType.F32)
    for length in (100, 5_000, whole.stat().st_size - 10_000):
        cut = tmp_path / f"cut-{length}.gguf"
        cut.write_bytes(whole.read_bytes()[:length])
        status, output = get(cut, tmp_path)
        assert status == 2
        assert "fetch it again" in capsys.readouterr().err
        assert not output.exists()


def test_an_architecture_that_is_not_known_names_the_way_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    writer = gguf.GGUFWriter(tmp_path / "other.gguf", "mamba")
    writer.add_block_count(1)
    writer.add_tensor("token_embd.weight", numpy.zeros((4, 32), dtype=numpy.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    status, _ = get(tmp_path / "other.gguf", tmp_path)
    assert status == 2
    assert "'mamba'" in capsys.readouterr().err
