"""From a folder to a verified copy, and every way in which a folder is refused."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gyeol.weights.__main__ import main


def get(uri: str, output: Path, tmp_path: Path) -> int:
    return main(["get", uri, "--output", str(output), "--cache", str(tmp_path / "cache")])


def test_a_folder_is_copied_and_described(weights: Path, tmp_path: Path, lines: Callable[[], list[dict]]) -> None:
    output = tmp_path / "out"
    assert get(f"file://{weights}", output, tmp_path) == 0
    manifest = json.loads((output / "manifest.json").read_text())
    assert manifest["licence"] == "apache-2.0"
    assert manifest["uri"] == f"file://{weights}"
    assert manifest["chat_template"] is True
    assert manifest["parameters"] > 50_000
    assert lines()[-1] == {
        "event": "done",
        "uri": f"file://{weights}",
        "digest": manifest["digest"],
        "parameters": manifest["parameters"],
        "output": str(output),
    }


def test_the_digest_can_be_made_again_with_coreutils(weights: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    get(f"file://{weights}", output, tmp_path)
    manifest = json.loads((output / "manifest.json").read_text())
    script = "LC_ALL=C; sha256sum -- $(ls | grep -v '^manifest.json$' | sort) | sha256sum | cut -d' ' -f1"
    made = subprocess.run(["bash", "-c", script], cwd=output, capture_output=True, text=True, check=True).stdout.strip()
    assert manifest["digest"] == f"sha256:{made}"


def test_what_is_delivered_loads_and_speaks_as_the_original(weights: Path, tmp_path: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM

    get(f"file://{weights}", tmp_path / "out", tmp_path)
    tokens = torch.arange(5, 25)[None]
    with torch.inference_mode():
        ours, theirs = (
            AutoModelForCausalLM.from_pretrained(folder)(tokens).logits for folder in (tmp_path / "out", weights)
        )
    assert torch.equal(ours, theirs)


def test_code_beside_the_weights_is_left_behind(weights: Path, tmp_path: Path) -> None:
    (weights / "modeling_x.py").write_text("raise SystemExit('ran')")
    assert get(f"file://{weights}", tmp_path / "out", tmp_path) == 0
    assert not (tmp_path / "out" / "modeling_x.py").exists()


def truncate(folder: Path) -> None:
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-100])


def pickle_only(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


def own_code(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"auto_map": {"AutoModel": "modeling_x.X"}}))


def missing_shard(folder: Path) -> None:
    index = {"weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


def no_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()


def broken_config(folder: Path) -> None:
    (folder / "config.json").write_text("{")


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (truncate, "model.safetensors is truncated"),
        (pickle_only, "convert them to safetensors"),
        (own_code, "auto_map"),
        (missing_shard, "model-00001-of-00002.safetensors is missing"),
        (no_tokenizer, "tokenizer.json"),
        (broken_config, "config.json is no JSON"),
    ],
)
def test_a_folder_that_cannot_be_trusted_is_refused_for_good(
    spoil: Callable[[Path], None],
    told: str,
    weights: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    spoil(weights)
    assert get(f"file://{weights}", tmp_path / "out", tmp_path) == 2
    said = capsys.readouterr().err
    assert f"file://{weights}" in said
    assert told in said
    assert not (tmp_path / "out").exists()


def test_files_of_somebody_else_are_not_overwritten(weights: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("주의")
    assert get(f"file://{weights}", tmp_path / "out", tmp_path) == 2
    assert (tmp_path / "out" / "thesis.txt").read_text() == "주의"


def test_what_is_there_already_is_not_written_again(weights: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    get(f"file://{weights}", output, tmp_path)
    before = (output / "manifest.json").stat().st_ino
    get(f"file://{weights}", output, tmp_path)
    assert (output / "manifest.json").stat().st_ino == before


def test_what_was_damaged_later_is_put_right(weights: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    get(f"file://{weights}", output, tmp_path)
    wanted = hashlib.sha256((output / "config.json").read_bytes()).hexdigest()
    (output / "config.json").unlink()
    (output / "config.json").write_text("{}")
    assert get(f"file://{weights}", output, tmp_path) == 0
    assert hashlib.sha256((output / "config.json").read_bytes()).hexdigest() == wanted


@pytest.mark.parametrize(
    ("uri", "status", "told"),
    [
        ("builtin:tiny-ko", 1, "--seed-address"),
        ("builtin:huge-ko", 2, "builtin:tiny-ko"),
        ("file:///nowhere/at/all", 2, "/nowhere/at/all is no folder"),
        ("pvc://claim/model", 2, "GYEOL_VOLUMES"),
        ("gguf:/nowhere/x.gguf", 2, "is no file"),
        ("oci://registry.example/team/model:1", 2, "skopeo copy"),
        ("ftp://x", 2, "builtin"),
    ],
)
def test_an_address_with_nothing_behind_it_names_the_remedy(
    uri: str, status: int, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert get(uri, tmp_path / "out", tmp_path) == status
    assert told in capsys.readouterr().err


def test_a_hub_that_does_not_answer_is_tried_again_later(tmp_path: Path) -> None:
    """A process of its own, because the library reads the endpoint when it is imported."""
    argv = [sys.executable, "-m", "gyeol.weights", "get", "hf://a/b", "--output", str(tmp_path / "o")]
    argv += ["--cache", str(tmp_path / "cache")]
    env = {"PATH": "/usr/bin", "HF_ENDPOINT": "http://127.0.0.1:9", "HOME": str(tmp_path)}
    done = subprocess.run(argv, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1
    assert "hf://a/b: the hub does not answer" in done.stderr
