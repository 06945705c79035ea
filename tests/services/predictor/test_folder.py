from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from gyeol.predictor.errors import FolderError
from gyeol.predictor.folder import model_folder, verify
from support import tiny_model


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    return shutil.copytree(folder, tmp_path / "copy")


def manifest(folder: Path) -> dict[str, object]:
    return dict(json.loads((folder / "manifest.json").read_text()))


def test_a_whole_folder_tells_its_digest_and_base(folder: Path) -> None:
    found = model_folder(folder)
    assert (found.digest, found.base, found.kind) == (tiny_model.DIGEST, "builtin:tiny", "transformers")
    verify(found)


@pytest.mark.parametrize(
    ("config", "context"),
    [
        ({"max_position_embeddings": 512}, 512),
        ({"n_positions": 256}, 256),
        ({"text_config": {"max_position_embeddings": 4096}, "max_position_embeddings": 64}, 4096),
        ({}, None),
    ],
)
def test_the_length_a_model_was_made_for_is_known_before_it_is_loaded(
    copy: Path, config: dict[str, object], context: int | None
) -> None:
    (copy / "config.json").write_text(json.dumps(config))
    tiny_model.sealed(copy)
    found = model_folder(copy)
    assert found.context == context
    assert found.within(100) == 100


def test_a_manifest_without_a_digest_is_its_own(copy: Path) -> None:
    (copy / "manifest.json").write_text("{}")
    assert model_folder(copy).digest == "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"


def test_merged_weights_share_the_manifest_of_their_training(copy: Path, tmp_path: Path) -> None:
    (tmp_path / "training").mkdir()
    shutil.move(copy / "manifest.json", tmp_path / "training" / "manifest.json")
    (tmp_path / "training" / "manifest.json").write_text('{"digest": "sha256:aa", "base": "sha256:bb"}')
    found = model_folder(shutil.move(copy, tmp_path / "training" / "model"))
    assert (found.digest, found.base) == ("sha256:aa", "sha256:bb")


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="no such folder"):
        model_folder(tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["manifest.json", "config.json", "tokenizer.json", "model.safetensors"])
def test_a_missing_file_is_named(copy: Path, name: str) -> None:
    (copy / name).unlink()
    with pytest.raises(FolderError, match=rf"{name}.* is missing"):
        model_folder(copy)


@pytest.mark.parametrize("name", ["manifest.json", "config.json", "tokenizer.json"])
def test_a_file_that_is_no_json_is_named(copy: Path, name: str) -> None:
    (copy / name).write_text('{"model_type": "lla')
    if name != "manifest.json":
        tiny_model.sealed(copy)
    with pytest.raises(FolderError, match=f"{name} cannot be read"):
        model_folder(copy)


def test_a_file_shorter_than_its_manifest_says_is_refused(copy: Path) -> None:
    weights = copy / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    with pytest.raises(FolderError, match=r"model.safetensors has \d+ bytes, its manifest says \d+"):
        model_folder(copy)


@pytest.mark.parametrize("kept", [4, 100, -1], ids=["header-length-cut", "header-cut", "last-tensor-cut"])
def test_truncated_weights_are_known_by_their_own_header(copy: Path, kept: int) -> None:
    weights = copy / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:kept])
    tiny_model.sealed(copy)
    with pytest.raises(
        FolderError, match=r"model.safetensors (is no whole safetensors file|has \d+ bytes, its header)"
    ):
        model_folder(copy)


def test_changed_weights_of_the_same_length_are_known_by_their_hash(copy: Path) -> None:
    weights = copy / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\x7f")
    with pytest.raises(FolderError, match=r"model\.safetensors is not the file its manifest lists"):
        verify(model_folder(copy))


def test_pickled_weights_are_not_loaded(copy: Path) -> None:
    (copy / "model.safetensors").rename(copy / "pytorch_model.bin")
    tiny_model.sealed(copy)
    with pytest.raises(FolderError, match=r"pytorch_model.bin may run code when it is loaded"):
        model_folder(copy)


def test_a_manifest_may_not_list_files_outside_its_folder(copy: Path) -> None:
    listed = {**manifest(copy), "files": [{"path": "../../etc/passwd", "sha256": "00"}]}
    (copy / "manifest.json").write_text(json.dumps(listed))
    with pytest.raises(FolderError, match="is no file of the folder"):
        model_folder(copy)


def test_a_gguf_file_is_for_the_other_engine(copy: Path) -> None:
    (copy / "model.safetensors").unlink()
    (copy / "model.gguf").write_bytes(b"GGUF....")
    tiny_model.sealed(copy)
    assert model_folder(copy).kind == "llama"
    (copy / "model.gguf").write_bytes(b"PK\x03\x04")
    tiny_model.sealed(copy)
    with pytest.raises(FolderError, match="is no GGUF file"):
        model_folder(copy)
