"""Datasets are sealed once, are the same bytes wherever they are written, and tell when they were touched."""

from __future__ import annotations

import asyncio
import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from typer.testing import CliRunner

from gyeol.api.failure.v1.failure_pb2 import DROP_REASON_NOT_MINED
from gyeol.api.ledger.v1 import ledger_pb2 as pb
from gyeol.ledger.command import app
from gyeol.ledger.convert.dataset import row_from_member, texts_from_member
from gyeol.ledger.service.dataset import Datasets, Format
from gyeol.ledger.service.run import Runs
from gyeol.ledger.store.archive import Folder
from gyeol.ledger.store.dataset import SqlDatasets
from gyeol.ledger.store.overlap import overlapping
from gyeol.ledger.store.parquet import lines as lines_of
from gyeol.ledger.store.parquet import parquet
from gyeol.ledger.store.run import SqlRuns
from support.record import LAW, PACK, life, record_dropped, seed, triplet_accepted

on_one_database = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
"""For what does not depend on the kind of database."""


def rows_of(content: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines_of(content).splitlines()]


async def refused(call: Any) -> grpc.aio.AioRpcError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return caught.value


async def seal(ledger: Any, destination: Path | str, **other: Any) -> pb.Dataset:
    request = pb.SealDatasetRequest(run_id=other.pop("run", "run-1"), destination=str(destination), **other)
    sealed: pb.Dataset = (await ledger.datasets.SealDataset(request)).dataset
    return sealed


async def a_run(ledger: Any, run: str = "run-1", spec: str = "{}") -> None:
    """Six harmful and three benign triplets, and a drop."""
    await ledger.start_run(run, spec)
    harmful = [event for number in range(6) for event in life(seed(number), run)]
    benign = [event for number in range(3) for event in life(seed(number, benign=True), run)]
    await ledger.hear(*harmful, *benign, record_dropped(seed(9), "candidate", DROP_REASON_NOT_MINED, run))


def hashes(folder: Path) -> dict[str, str]:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


async def test_a_sealed_dataset_holds_what_trainers_need_and_says_what_it_is(ledger: Any, tmp_path: Path) -> None:
    await a_run(ledger)
    sealed = await seal(ledger, tmp_path / "dataset")
    manifest = json.loads((tmp_path / "dataset" / "manifest.json").read_text(encoding="utf-8"))
    assert json.loads(sealed.manifest_json) == manifest
    assert (sealed.rows, sealed.benign_rows, sealed.digest) == (9, 3, manifest["digest"])
    assert manifest["strata"] == {"IV/G": 6, "IV/G+benign": 3}
    assert manifest["pack"] == {"name": "ko-KR", "digest": PACK}
    assert manifest["law_as_of"] == "2026-11-30"
    assert manifest["models"]["writers"] == [{"name": "statute-first", "model": "builtin", "revision": "", "rows": 9}]
    assert [source["name"] for source in manifest["models"]["judges"]] == ["grounding", "register", "safety"]
    assert manifest["models"]["targets"][0]["model"] == "tiny-ko"
    assert any("tiny-ko" in licence["subject"] for licence in manifest["licences"])
    assert manifest["left_out"] == {"contaminated": 0, "duplicate": 0, "review": 0}
    content = (tmp_path / "dataset" / manifest["files"][0]["path"]).read_bytes()
    rows = rows_of(content)
    assert [row["triplet_id"] for row in rows] == sorted(row["triplet_id"] for row in rows)
    one = next(row for row in rows if row["seed_id"] == seed(1).id)
    event = triplet_accepted(seed(1)).triplet
    assert one["prompt"] == [{"role": "user", "content": event.prompt[0].content}]
    assert one["chosen"] == [{"role": "assistant", "content": event.chosen}]
    assert one["rejected"] == [{"role": "assistant", "content": event.rejected}]
    assert one["citations"] == [f"{LAW} 제59조"]
    assert (one["kind"], one["mold_id"], one["policy_version"]) == ("harmful", "G.financial.m2", 1)


async def test_sealing_twice_and_elsewhere_gives_the_same_bytes(ledger: Any, tmp_path: Path) -> None:
    await a_run(ledger)
    first = await seal(ledger, tmp_path / "one")
    before = hashes(tmp_path / "one")
    touched = (tmp_path / "one" / "manifest.json").stat().st_mtime_ns
    again, elsewhere = await asyncio.gather(seal(ledger, tmp_path / "one"), seal(ledger, tmp_path / "two"))
    assert first == again
    assert (tmp_path / "one" / "manifest.json").stat().st_mtime_ns == touched
    assert hashes(tmp_path / "one") == hashes(tmp_path / "two") == before
    assert (elsewhere.digest, elsewhere.location) == (first.digest, str(tmp_path / "two"))


@on_one_database
async def test_equal_triplets_of_another_run_have_the_same_digest(ledger: Any, tmp_path: Path) -> None:
    await a_run(ledger)
    await a_run(ledger, "run-2", '{"other": true}')
    one, two = await seal(ledger, tmp_path / "one"), await seal(ledger, tmp_path / "two", run="run-2")
    assert one.digest == two.digest
    data = {path: digest for path, digest in hashes(tmp_path / "one").items() if path.startswith("data/")}
    assert data == {path: digest for path, digest in hashes(tmp_path / "two").items() if path.startswith("data/")}


async def test_late_triplets_stay_out_of_a_sealed_dataset_and_reviews_are_closed(ledger: Any, tmp_path: Path) -> None:
    await a_run(ledger)
    sealed = await seal(ledger, tmp_path / "one")
    await ledger.hear(*life(seed(30)))
    assert (await seal(ledger, tmp_path / "two")).digest == sealed.digest
    request = pb.ReviewTripletRequest(
        run_id="run-1", triplet_id=triplet_accepted(seed(1)).triplet.id, review=pb.REVIEW_REJECTED, reviewer="lee"
    )
    error = await refused(ledger.records.ReviewTriplet(request))
    assert error.code() is grpc.StatusCode.ABORTED
    assert "sealed" in (error.details() or "")


async def test_triplets_that_a_person_rejected_are_left_out(ledger: Any, tmp_path: Path) -> None:
    await a_run(ledger)
    triplet_id = triplet_accepted(seed(1)).triplet.id
    await ledger.records.ReviewTriplet(
        pb.ReviewTripletRequest(run_id="run-1", triplet_id=triplet_id, review=pb.REVIEW_REJECTED, reviewer="lee")
    )
    sealed = await seal(ledger, tmp_path / "one")
    assert sealed.rows == 8
    assert json.loads(sealed.manifest_json)["left_out"]["review"] == 1
    files = b"".join(path.read_bytes() for path in (tmp_path / "one" / "data").iterdir())
    assert triplet_id not in {row["triplet_id"] for row in rows_of(files)}


@on_one_database
async def test_sealing_waits_for_the_reviews_that_the_run_asks_for(ledger: Any, tmp_path: Path) -> None:
    await ledger.start_run(spec='{"data":{"review":"Disagreements"}}')
    await ledger.hear(*life(seed(1)), triplet_accepted(seed(2), disputed=True))
    error = await refused(seal(ledger, tmp_path / "one"))
    assert error.code() is grpc.StatusCode.UNAVAILABLE
    assert "data.review='Disagreements': 1 triplet(s)" in (error.details() or "")
    account = (await ledger.runs.GetAccount(pb.GetAccountRequest(run_id="run-1"))).account
    assert account.awaiting_review == 1
    await ledger.records.ReviewTriplet(
        pb.ReviewTripletRequest(
            run_id="run-1",
            triplet_id=triplet_accepted(seed(2)).triplet.id,
            review=pb.REVIEW_APPROVED,
            reviewer="lee",
        )
    )
    assert (await seal(ledger, tmp_path / "one")).rows == 2


async def test_questions_of_the_evaluation_are_left_out_and_counted(ledger: Any, tmp_path: Path) -> None:
    await a_run(ledger)
    items = [pb.EvaluationItem(suite="cultural-safety", item_id="7", text=seed(2).text.replace("?", " ?"))]
    sealed = await seal(ledger, tmp_path / "one", evaluation_items=items)
    manifest = json.loads(sealed.manifest_json)
    assert sealed.rows == 8
    assert manifest["left_out"]["contaminated"] == 1
    assert manifest["decontamination"]["items"] == 1
    account = (await ledger.runs.GetAccount(pb.GetAccountRequest(run_id="run-1"))).account
    assert (account.triplets, account.drops["CONTAMINATED"]) == (8, 1)
    one = await ledger.records.GetTriplet(
        pb.GetTripletRequest(run_id="run-1", triplet_id=triplet_accepted(seed(2)).triplet.id)
    )
    assert one.triplet.overlaps_with == "cultural-safety/7"
    assert (await seal(ledger, tmp_path / "two")).manifest_json == sealed.manifest_json


@on_one_database
async def test_there_must_be_something_to_seal(ledger: Any, tmp_path: Path) -> None:
    await ledger.start_run()
    error = await refused(seal(ledger, tmp_path / "one"))
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "no accepted triplet" in (error.details() or "")
    assert not (tmp_path / "one").exists()


@on_one_database
@pytest.mark.parametrize("destination", ["relative/folder", "ftp://host/x", ""])
async def test_a_destination_that_cannot_be_used_is_refused(ledger: Any, destination: str) -> None:
    await a_run(ledger)
    error = await refused(seal(ledger, destination))
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert (error.details() or "").startswith("location=")


@on_one_database
async def test_a_destination_that_holds_another_dataset_is_refused(ledger: Any, tmp_path: Path) -> None:
    await a_run(ledger)
    await a_run(ledger, "run-2")
    await seal(ledger, tmp_path / "one")
    error = await refused(seal(ledger, tmp_path / "one", run="run-2"))
    assert "holds another dataset" in (error.details() or "")


@on_one_database
async def test_a_destination_that_cannot_be_written_is_not_ready_and_sealing_goes_on_elsewhere(
    ledger: Any, tmp_path: Path
) -> None:
    await a_run(ledger)
    (tmp_path / "file").write_text("in the way")
    error = await refused(seal(ledger, tmp_path / "file" / "dataset"))
    assert error.code() is grpc.StatusCode.UNAVAILABLE
    assert (await seal(ledger, tmp_path / "one")).rows == 9


async def pressed_here(lines: bytes) -> bytes:
    """What the pressing process does, without the process."""
    return parquet(lines)


class _Crashing(Folder):
    """A folder whose machine dies before the `limit`th file."""

    limit = 0

    async def write(self, path: str, content: bytes) -> None:
        if self.limit == 0:
            raise ConnectionResetError("power cut")
        self.limit -= 1
        await super().write(path, content)


@on_one_database
@pytest.mark.parametrize("limit", range(4))
async def test_a_crash_while_sealing_leaves_no_half_dataset(ledger: Any, tmp_path: Path, limit: int) -> None:
    await a_run(ledger)
    place = _Crashing(tmp_path / "one")
    place.limit = limit
    form = Format(row_from_member, texts_from_member, pressed_here, overlapping, shard_rows=5)
    runs = Runs(SqlRuns(ledger.database), ledger.clock)
    datasets = Datasets(SqlDatasets(ledger.database), runs, lambda _: place, form, ledger.clock)
    with pytest.raises(ConnectionResetError):
        await datasets.seal("run-1", "x", [])
    assert not (tmp_path / "one" / "manifest.json").exists()
    place.limit = 100
    resumed = await datasets.seal("run-1", "x", [])
    assert (await datasets.seal("run-1", "x", [])).digest == resumed.digest
    unharmed = Datasets(SqlDatasets(ledger.database), runs, lambda _: Folder(tmp_path / "two"), form, ledger.clock)
    await unharmed.seal("run-1", "x", [])
    assert hashes(tmp_path / "one") == hashes(tmp_path / "two")
    assert len(list((tmp_path / "one" / "data").iterdir())) == 2


def _flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def _first(folder: Path) -> Path:
    return next((folder / "data").iterdir())


DAMAGES = {
    "a flipped bit": (lambda folder: _flip(_first(folder)), "data/train-00000-of-00001.parquet"),
    "a missing file": (lambda folder: _first(folder).unlink(), "data/train-00000-of-00001.parquet"),
    "a smuggled file": (lambda folder: (folder / "data" / "train-9.parquet").write_bytes(b"x"), "data/train-9.parquet"),
    "another README": (lambda folder: (folder / "README.md").write_text("hello"), "README.md"),
    "another number of rows": (
        lambda folder: (folder / "manifest.json").write_text(
            (folder / "manifest.json").read_text(encoding="utf-8").replace('"rows": 9,', '"rows": 8,'), encoding="utf-8"
        ),
        "manifest.json",
    ),
    "an unreadable manifest": (lambda folder: (folder / "manifest.json").write_text("{"), "manifest.json"),
}


@on_one_database
@pytest.mark.parametrize(("damage", "file"), DAMAGES.values(), ids=DAMAGES)
async def test_verification_names_the_file_that_was_touched(
    ledger: Any, tmp_path: Path, damage: Any, file: str
) -> None:
    await a_run(ledger)
    await seal(ledger, tmp_path / "one")
    request = pb.VerifyDatasetRequest(location=str(tmp_path / "one"))
    assert (await ledger.datasets.VerifyDataset(request)).dataset.rows == 9
    damage(tmp_path / "one")
    error = await refused(ledger.datasets.VerifyDataset(request))
    assert error.code() is grpc.StatusCode.ABORTED
    assert (error.details() or "").startswith(f"{file}: ")


@on_one_database
async def test_the_verify_command_needs_no_ledger(ledger: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    await a_run(ledger)
    sealed = await seal(ledger, tmp_path / "one")

    def verify() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "gyeol.ledger", "verify", "one"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    whole = await asyncio.to_thread(verify)
    assert (whole.returncode, whole.stdout.split()[0]) == (0, sealed.digest)
    with monkeypatch.context() as changed:
        changed.setenv("PYTHONHOME", "/nowhere")  # which no process that is started from here on survives
        unknown = await asyncio.to_thread(CliRunner().invoke, app, ["verify", str(tmp_path / "one")])
    assert (unknown.exit_code, "try again" in unknown.stderr) == (1, True)
    _flip(_first(tmp_path / "one"))
    damaged = await asyncio.to_thread(CliRunner().invoke, app, ["verify", str(tmp_path / "one")])
    assert damaged.exit_code == 2
    assert "data/train-00000-of-00001.parquet" in damaged.stderr


@on_one_database
async def test_an_export_is_written_down_and_gives_the_same_rows_in_both_formats(ledger: Any, tmp_path: Path) -> None:
    await a_run(ledger)
    request = pb.ExportDatasetRequest(run_id="run-1", format=pb.EXPORT_FORMAT_JSONL, reader="kim")

    async def exported(format_: pb.ExportFormat.ValueType) -> dict[str, bytes]:
        files: dict[str, bytes] = {}
        request.format = format_
        async for part in ledger.datasets.ExportDataset(request):
            files[part.path] = files.get(part.path, b"") + part.chunk
        return files

    assert (await refused(exported(pb.EXPORT_FORMAT_JSONL))).code() is grpc.StatusCode.NOT_FOUND
    await seal(ledger, tmp_path / "one")
    as_files = await exported(pb.EXPORT_FORMAT_PARQUET)
    assert {path: hashlib.sha256(content).hexdigest() for path, content in as_files.items()} == hashes(tmp_path / "one")
    lines = (await exported(pb.EXPORT_FORMAT_JSONL))["train.jsonl"].decode().splitlines()
    shards = [content for path, content in as_files.items() if path.endswith(".parquet")]
    assert [json.loads(line) for line in lines] == [row for shard in shards for row in rows_of(shard)]
    history = await SqlRecordsHistory(ledger.database).of_run("run-1")
    assert history == [("exported", "kim", "parquet"), ("exported", "kim", "jsonl")]


class SqlRecordsHistory:
    """Reads the access log of whole datasets."""

    def __init__(self, database: Any) -> None:
        from gyeol.ledger.store.record import SqlRecords

        self._records = SqlRecords(database)

    async def of_run(self, run: str) -> list[tuple[str, str, str]]:
        return [(access.action, access.person, access.comment) for access in await self._records.history(run, "")]


@on_one_database
async def test_hugging_face_loads_a_sealed_folder_as_it_is(ledger: Any, tmp_path: Path) -> None:
    from datasets import load_dataset

    await a_run(ledger)
    await seal(ledger, tmp_path / "one")
    script = load_dataset(
        "parquet",
        data_files=str(tmp_path / "one" / "data" / "*.parquet"),
        split="train",
        cache_dir=str(tmp_path / "hf"),
    )
    assert script.num_rows == 9
    assert script[0]["prompt"][0]["role"] == "user"
    by_card = load_dataset(str(tmp_path / "one"), split="train", cache_dir=str(tmp_path / "hf2"))
    assert by_card["triplet_id"][:] == script["triplet_id"][:]
