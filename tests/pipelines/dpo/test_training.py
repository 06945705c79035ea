"""Training on real tokens, in real processes, killed and resumed."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gyeol.dpo.__main__ import main
from support.sealed import row, rows, seal, tiny_model

pytestmark = pytest.mark.needs_model

PARAMETERS = {
    "method": "LoRA",
    "loss": [{"name": "sigmoid", "weight": "1.0"}, {"name": "sft", "weight": "0.2"}],
    "beta": "0.1",
    "learningRate": "1e-3",
    "epochs": 2,
    "batchSize": 8,
    "maxLength": 128,
    "adapter": {"rank": 4, "alpha": 8},
    "nodes": 1,
    "resources": {"limits": {"nvidia.com/gpu": 8}},
}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    texts = [
        message["content"] for one in rows(60) for side in ("prompt", "chosen", "rejected") for message in one[side]
    ]
    return tiny_model(tmp_path_factory.mktemp("base"), texts)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return seal(tmp_path_factory.mktemp("dataset") / "sealed", rows(96))


def command(job: str, base: Path, dataset: Path, output: Path, *more: str, **parameters: Any) -> list[str]:
    output.mkdir(parents=True, exist_ok=True)
    file = output / "parameters.json"
    file.write_text(json.dumps(PARAMETERS | parameters))
    told = ["--dataset", str(dataset), "--base", str(base), "--output", str(output), "--parameters", str(file), *more]
    return [sys.executable, "-m", "gyeol.dpo", job, *told]


def run(argv: Sequence[str], **environment: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "OMP_NUM_THREADS": "1", **environment}
    return subprocess.run(argv, capture_output=True, text=True, env=env, timeout=240, check=False)


def here(argv: Sequence[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Exit status and standard error of a job that ends before it trains, without the price of a process."""
    status = main(list(argv[3:]))
    return status, capsys.readouterr().err


def weights(output: Path) -> str:
    return hashlib.sha256((output / "adapter" / "adapter_model.safetensors").read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def undisturbed(base: Path, dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("undisturbed")
    done = run(command("train", base, dataset, output))
    assert done.returncode == 0, done.stderr[-2000:]
    return output


def test_a_training_leaves_a_servable_model_and_a_manifest_that_says_what_it_was_made_from(
    undisturbed: Path, dataset: Path, base: Path
) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    manifest = json.loads((undisturbed / "manifest.json").read_text())
    assert manifest["dataset_digest"] == json.loads((dataset / "manifest.json").read_text())["digest"]
    assert manifest["base_digest"] == json.loads((base / "manifest.json").read_text())["digest"]
    assert manifest["training"]["steps"] > 10
    assert 0 <= manifest["training"]["accuracy"] <= 1
    assert json.loads((undisturbed / "model" / "manifest.json").read_text())["digest"] == manifest["digest"]
    model = AutoModelForCausalLM.from_pretrained(undisturbed / "model")
    assert AutoTokenizer.from_pretrained(undisturbed / "model").chat_template
    before = AutoModelForCausalLM.from_pretrained(base)
    changed = [name for name, value in model.state_dict().items() if not value.equal(before.state_dict()[name])]
    assert any("q_proj" in name for name in changed)
    metrics = [json.loads(line) for line in (undisturbed / "metrics.jsonl").read_text().splitlines()]
    assert {"step", "loss", "margin", "accuracy"} <= set(metrics[-1])


def test_a_killed_training_goes_on_and_ends_with_the_same_bits(
    base: Path, dataset: Path, undisturbed: Path, tmp_path: Path
) -> None:
    argv = command("train", base, dataset, tmp_path)
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(argv, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while not list(tmp_path.glob("checkpoints/checkpoint-*/COMPLETE")):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "manifest.json").exists()
    half = tmp_path / "checkpoints" / "checkpoint-9999"  # what a kill while saving leaves
    half.mkdir()
    (half / "adapter_model.safetensors").write_bytes(b"half")
    done = run([*argv, "--attempt", "1"])
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads((tmp_path / "manifest.json").read_text())["training"]["resumed_from"] > 0
    assert weights(tmp_path) == weights(undisturbed)


def test_a_retry_without_a_checkpoint_fails_instead_of_beginning_anew(
    base: Path, dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, error = here(command("train", base, dataset, tmp_path, "--attempt", "1"), capsys)
    assert status == 1
    assert "no complete checkpoint" in error


def test_two_processes_train_one_model(base: Path, dataset: Path, tmp_path: Path) -> None:
    argv = command("train", base, dataset, tmp_path)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    group = {
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": port,
        "WORLD_SIZE": "2",
        "PET_NNODES": "2",
        "OMP_NUM_THREADS": "1",
    }
    other = subprocess.Popen(
        argv, env={**os.environ, **group, "RANK": "1"}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    done = run(argv, **group, RANK="0")
    said, _ = other.communicate(timeout=60)
    assert done.returncode == 0, done.stderr[-2000:]
    assert other.returncode == 0, said[-2000:]
    assert json.loads((tmp_path / "manifest.json").read_text())["processes"] == 2
    assert b'"event"' not in said  # only the leading process reports


def test_one_flipped_byte_is_refused_by_name(base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    damaged = seal(tmp_path / "damaged", rows(20))
    shard = damaged / "data" / "train-00000-of-00001.parquet"
    content = bytearray(shard.read_bytes())
    content[len(content) // 2] ^= 1
    shard.write_bytes(content)
    status, error = here(command("train", base, damaged, tmp_path / "out"), capsys)
    assert status == 2
    assert "train-00000-of-00001.parquet is not the file that was sealed" in error


def test_rows_that_were_exchanged_with_their_hash_are_refused_too(
    base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    forged = seal(tmp_path / "forged", rows(20))
    manifest = json.loads((forged / "manifest.json").read_text())
    manifest["digest"] = "sha256:" + "0" * 64
    (forged / "manifest.json").write_text(json.dumps(manifest))
    status, error = here(command("train", base, forged, tmp_path / "out"), capsys)
    assert status == 2
    assert "do not add up" in error


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"method": "QLoRA"}, "QLoRA quantises on a GPU"),
        ({"beta": 0.1}, "beta: Value error, write it as a decimal string"),
        ({"beta": "-1"}, "beta"),
        ({"method": "PPO"}, "method"),
        ({"loss": [{"name": "sft", "weight": "1"}]}, "no preference term"),
    ],
    ids=["no GPU", "float", "negative", "unknown method", "no preference"],
)
def test_impossible_parameters_are_refused_with_a_remedy(
    base: Path, dataset: Path, tmp_path: Path, changed: dict[str, Any], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, error = here(command("train", base, dataset, tmp_path, **changed), capsys)
    assert status == 2
    assert message in error


def test_preflight_looks_at_real_tokens(
    base: Path, dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, error = here(command("preflight", base, dataset, tmp_path), capsys)
    assert status == 0, error
    found = json.loads((tmp_path / "preflight.json").read_text())
    assert found["pairs"] + found["held_out"] == 96
    assert sum(found["histogram"].values()) == 192
    assert found["faults"] == []


def test_preflight_refuses_what_training_would_spoil_silently(
    base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = [*rows(8), row(8, "같은 답", "같은 답"), row(9, "긴 답변 " * 200, "짧은 답")]
    status, error = here(command("preflight", base, seal(tmp_path / "bad", bad), tmp_path / "out"), capsys)
    assert status == 2
    assert "1 pairs have the same chosen and rejected answer" in error
    assert "1 answers would be cut at maxLength" in error
    assert not (tmp_path / "out" / "preflight.json").exists()


def test_a_base_without_a_chat_template_is_refused(
    dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = tiny_model(tmp_path / "bare", ["가나다"], chat_template=None)
    status, error = here(command("preflight", bare, dataset, tmp_path / "out"), capsys)
    assert status == 2
    assert "no chat template" in error


def test_a_folder_that_is_no_model_is_refused(
    dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, error = here(command("train", tmp_path, dataset, tmp_path / "out"), capsys)
    assert status == 2
    assert "not the manifest of a model" in error
