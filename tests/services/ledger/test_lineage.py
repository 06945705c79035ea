"""Lineage leads from a model to the articles it rests on, and from an article to every model, without leaving one out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest

from gyeol.api.ledger.v1 import ledger_pb2 as pb
from gyeol.api.lineage.v1 import lineage_pb2
from gyeol.api.lineage.v1.lineage_pb2 import DIRECTION_EFFECTS, DIRECTION_ORIGINS, Node
from support.record import LAW, seed, stage_completed, triplet_accepted

MODEL, BASELINE, SCORES, VERDICT = "sha256:model", "sha256:base", "sha256:scores", "sha256:verdict"
STATUTE = f"law:{LAW} 제59조"


async def trace(ledger: Any, node: str, direction: Any, **limits: int) -> Node:
    request = lineage_pb2.TraceRequest(node=node, direction=direction, **limits)
    root: Node = (await ledger.lineage.Trace(request)).root
    return root


def walk(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from walk(child)


def kinds(node: Node) -> dict[str, int]:
    counted: dict[str, int] = {}
    for each in walk(node):
        if "shown" not in each.facts:
            counted[each.kind] = counted.get(each.kind, 0) + 1
    return counted


async def a_finished_run(ledger: Any, place: Path, run: str = "run-1", numbers: range = range(3)) -> str:
    """A run of triplets that was sealed, trained, evaluated and judged; returns the dataset's digest."""
    await ledger.start_run(run)
    for number in numbers:
        article = "제59조" if number % 2 == 0 else "제71조"
        await ledger.hear(
            stage_completed(seed(number), "seed", run), triplet_accepted(seed(number), run, article=article)
        )
    request = pb.SealDatasetRequest(run_id=run, destination=str(place / run))
    dataset: str = (await ledger.datasets.SealDataset(request)).dataset.digest
    for kind, digest, inputs in (
        ("model", MODEL, [dataset, BASELINE]),
        ("evaluation", SCORES, [MODEL]),
        ("gate-verdict", VERDICT, [SCORES]),
    ):
        artifact = pb.Artifact(kind=kind, digest=f"{digest}-{run}", run_id=run, location=f"/{run}/{kind}")
        artifact.inputs.extend(f"{name}-{run}" if name in (MODEL, SCORES) else name for name in inputs)
        await ledger.artifacts.RecordArtifact(pb.RecordArtifactRequest(artifact=artifact))
    return dataset


async def test_a_run_leads_to_the_articles_its_model_rests_on(ledger: Any, tmp_path: Path) -> None:
    await a_finished_run(ledger, tmp_path)
    root = await trace(ledger, "run-1", DIRECTION_ORIGINS)
    path = [root.kind]
    node = root
    for kind in ("gate-verdict", "evaluation", "model", "dataset", "policy", "statute"):
        node = next(child for child in node.children if child.kind == kind)
        path.append(node.kind)
    assert path[-1] == "statute"
    assert {each.id for each in walk(root) if each.kind == "statute"} == {STATUTE, f"law:{LAW} 제71조"}
    assert kinds(root)["triplet"] == 3
    assert kinds(root)["seed"] == 3
    assert any(each.kind == "unknown" and each.id == BASELINE for each in walk(root))
    policy = next(each for each in walk(root) if each.kind == "policy")
    assert (policy.title, policy.facts["triplets"]) == ("ko-KR/G v1", "3")


async def test_an_article_leads_to_every_dataset_and_model_even_when_triplets_are_left_out(
    ledger: Any, tmp_path: Path
) -> None:
    first = await a_finished_run(ledger, tmp_path, "run-1", range(0, 8))
    second = await a_finished_run(ledger, tmp_path, "run-2", range(8, 10))
    root = await trace(ledger, STATUTE, DIRECTION_EFFECTS, max_children=3)
    assert {each.id for each in walk(root) if each.kind == "dataset"} == {first, second}
    assert {each.id for each in walk(root) if each.kind == "model"} == {f"{MODEL}-run-1", f"{MODEL}-run-2"}
    assert {each.id for each in walk(root) if each.kind == "gate-verdict"} == {f"{VERDICT}-run-1", f"{VERDICT}-run-2"}
    assert len(root.children) == 3
    assert root.children_left_out == 2 + 5 - 3
    assert root.facts["cited by"] == "5"


async def test_a_policy_leads_to_the_same(ledger: Any, tmp_path: Path) -> None:
    dataset = await a_finished_run(ledger, tmp_path)
    by_digest = await trace(ledger, triplet_accepted(seed(0)).triplet.policy_digest, DIRECTION_EFFECTS)
    by_id = await trace(ledger, "ko-KR/G", DIRECTION_EFFECTS)
    assert by_digest == by_id
    assert kinds(by_id) == {"policy": 1, "dataset": 1, "model": 1, "evaluation": 1, "gate-verdict": 1, "triplet": 3}
    assert by_id.children[0].id == dataset


async def test_a_triplet_leads_both_ways(ledger: Any, tmp_path: Path) -> None:
    dataset = await a_finished_run(ledger, tmp_path)
    triplet_id = triplet_accepted(seed(0)).triplet.id
    origins = await trace(ledger, triplet_id, DIRECTION_ORIGINS)
    assert [child.kind for child in origins.children] == ["seed", "policy", "statute"]
    assert origins.children[2].id == STATUTE
    effects = await trace(ledger, triplet_id, DIRECTION_EFFECTS)
    assert [child.id for child in effects.children] == [dataset]
    back = await trace(ledger, seed(0).id, DIRECTION_EFFECTS)
    assert [child.id for child in back.children] == [triplet_id]


async def test_before_anything_is_made_a_run_leads_to_its_triplets(ledger: Any) -> None:
    await ledger.start_run()
    await ledger.hear(triplet_accepted(seed(0)), triplet_accepted(seed(1)))
    root = await trace(ledger, "name-of-run-1", DIRECTION_ORIGINS)
    assert (root.kind, root.id) == ("run", "run-1")
    assert [child.kind for child in root.children] == ["triplet", "triplet"]


async def test_an_answer_is_bounded_and_says_what_it_leaves_out(ledger: Any, tmp_path: Path) -> None:
    dataset = await a_finished_run(ledger, tmp_path, numbers=range(40))
    root = await trace(ledger, dataset, DIRECTION_ORIGINS, max_children=5)
    assert len(root.children) == 5
    assert root.children_left_out == 1 + 40 - 5
    shallow = await trace(ledger, "run-1", DIRECTION_ORIGINS, max_depth=2)
    assert kinds(shallow) == {"run": 1, "gate-verdict": 1, "evaluation": 1}


async def test_a_question_that_has_no_answer_is_refused(ledger: Any) -> None:
    for node, direction, code in (
        ("nothing", DIRECTION_ORIGINS, grpc.StatusCode.NOT_FOUND),
        ("", DIRECTION_ORIGINS, grpc.StatusCode.NOT_FOUND),
        ("law:없는 법 제1조", DIRECTION_EFFECTS, grpc.StatusCode.NOT_FOUND),
        ("run-1", lineage_pb2.DIRECTION_UNSPECIFIED, grpc.StatusCode.INVALID_ARGUMENT),
    ):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await trace(ledger, node, direction)
        assert caught.value.code() is code
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await trace(ledger, "run-1", DIRECTION_ORIGINS, max_children=501)
    assert (caught.value.details() or "").startswith("max_children=501")
