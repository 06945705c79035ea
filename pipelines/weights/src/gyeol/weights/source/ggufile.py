"""One GGUF file, dequantised to float32 safetensors that can be trained."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from gyeol.weights.errors import SourceError
from gyeol.weights.gguf.header import Header, header
from gyeol.weights.source.port import Origin, Say


class GgufSource:
    """Converts; the original is not touched.

    Args:
      uri: For messages.
      path: The file.
    """

    def __init__(self, uri: str, path: Path) -> None:
        self._uri = uri
        self._path = path

    def revision(self) -> str:
        """sha256 of the file."""
        if not self._path.is_file():
            raise SourceError(f"{self._uri}: {self._path} is no file; check the path")
        with self._path.open("rb") as stream:
            return "sha256:" + hashlib.file_digest(stream, "sha256").hexdigest()

    def fetch(self, folder: Path, say: Say) -> Origin:
        try:
            import gguf  # noqa: F401
        except ImportError as error:
            raise SourceError(f"{self._uri}: reading GGUF needs the extra: install gyeol-weights[gguf]") from error
        from gyeol.weights.gguf.vocabulary import write_vocabulary
        from gyeol.weights.gguf.weight import tied, weights

        revision = self.revision()
        read = header(self._path)
        say("dequantising", architecture=read.architecture, tensors=len(read.tensors))
        tensors = weights(self._path, read)
        one_embedding = tied(tensors)
        if one_embedding and "lm_head.weight" in tensors:
            # The output's copy is stored with more bits.
            tensors["model.embed_tokens.weight"] = tensors.pop("lm_head.weight")
        _save(tensors, folder)
        _configure(read, tensors, one_embedding, folder)
        write_vocabulary(self._path, read, folder)
        licence = str(read.facts.get("general.license", ""))
        return Origin(revision, licence, {"gguf": revision, "name": str(read.facts.get("general.name", ""))})


def _save(tensors: dict[str, Any], folder: Path) -> None:
    import numpy
    from safetensors.numpy import save_file

    whole = {name: numpy.ascontiguousarray(values) for name, values in tensors.items()}
    save_file(whole, folder / "model.safetensors", metadata={"format": "pt"})


def _configure(read: Header, tensors: dict[str, Any], one_embedding: bool, folder: Path) -> None:
    from gyeol.weights.gguf.weight import ARCHITECTURES

    heads = int(read.of_model("attention.head_count"))
    facts = read.facts
    ends = {
        f"{name}_token_id": facts.get(f"tokenizer.ggml.{key}_token_id")
        for key, name in (("bos", "bos"), ("eos", "eos"), ("padding", "pad"))
    }
    config: dict[str, Any] = {
        "architectures": [ARCHITECTURES[read.architecture]],
        "model_type": read.architecture,
        "vocab_size": int(tensors["model.embed_tokens.weight"].shape[0]),
        "hidden_size": int(read.of_model("embedding_length")),
        "intermediate_size": int(read.of_model("feed_forward_length")),
        "num_hidden_layers": int(read.of_model("block_count")),
        "num_attention_heads": heads,
        "num_key_value_heads": int(read.of_model("attention.head_count_kv", heads)),
        "max_position_embeddings": int(read.of_model("context_length")),
        "rms_norm_eps": float(f"{read.of_model('attention.layer_norm_rms_epsilon'):.6g}"),
        "rope_theta": float(read.of_model("rope.freq_base", 10000.0)),
        "tie_word_embeddings": one_embedding,
        "hidden_act": "silu",
        "dtype": "float32",
        **ends,
    }
    if size := read.of_model("attention.key_length"):
        config["head_dim"] = int(size)
    if read.architecture == "llama":
        config["attention_bias"] = "model.layers.0.self_attn.q_proj.bias" in tensors
    _write(folder / "config.json", config)
    _write(folder / "generation_config.json", {name: number for name, number in ends.items() if number is not None})


def _write(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
