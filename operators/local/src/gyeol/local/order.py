"""What each job is started with: command line, environment, and one environment more for each process of the training group.

The environment of a training process is the one the Kubernetes training operator gives to a pod, so that one program serves both.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gyeol.local.errors import InputError
from gyeol.local.home import Home, RunFolder, write_atomically
from gyeol.local.port import LOOPBACK, free_port
from gyeol.local.roster import Roster
from gyeol.reconcile.alignment import AlignmentRun
from gyeol.reconcile.seen import Job, Side


@dataclass(frozen=True)
class Order:
    """A job ready to be started."""

    argv: list[str]
    env: Mapping[str, str] = field(default_factory=dict)
    ranks: tuple[Mapping[str, str], ...] = ({},)
    """What each process is told beside `env`; the first one reports."""


@dataclass(frozen=True)
class Desk:
    """What orders are made from."""

    home: Home
    folder: RunFolder
    run: AlignmentRun
    roster: Roster
    engines: Mapping[Side, str]
    """Base URL of each model that is served."""

    @property
    def baseline(self) -> Path:
        """Folder with the weights of the base model: the run's own, so that what changes at the address does not change it."""
        return self.folder.base

    @property
    def candidate(self) -> Path:
        """Folder with the merged weights of the trained model."""
        return self.folder.training / "model"


def weights_order(home: Home, uri: str, output: Path, known: Roster) -> Order:
    """Fetches weights; the services are needed for built-in models only."""
    shared = os.environ.get("GYEOL_CACHE")
    argv = _module("weights", "get", uri, output=output, cache=Path(shared) / "weights" if shared else home.weights)
    return Order([*argv, *_addresses(known, *(name for name in ("seed", "policy") if name in known.entries))])


def order(job: Job, desk: Desk) -> Order:
    """The order for one job; writes the files it reads."""
    match job:
        case Job.WEIGHTS:
            return weights_order(desk.home, desk.run.spec.base_model.uri, desk.baseline, desk.roster)
        case Job.PREFLIGHT:
            return Order(_dpo("preflight", desk), {"OMP_NUM_THREADS": "1"})
        case Job.TRAIN:
            return _train(desk)
        case Job.EVALUATE_BASELINE:
            return _evaluate(Side.BASELINE, desk)
        case Job.EVALUATE_CANDIDATE:
            return _evaluate(Side.CANDIDATE, desk)
        case Job.GATE:
            return _gate(desk)
        case Job.PROMOTE:
            return _promote(desk)


def _train(desk: Desk) -> Order:
    training = desk.run.spec.training
    each = 1 if training.processes_per_node == "auto" else training.processes_per_node
    count = max(1, min(training.nodes * each, os.cpu_count() or 1))
    threads = 1 if count > 1 else os.cpu_count() or 1
    group = {
        "MASTER_ADDR": LOOPBACK,
        "MASTER_PORT": str(free_port()),
        "WORLD_SIZE": str(count),
        "PET_NNODES": str(count),
        "PET_NPROC_PER_NODE": "1",
        "OMP_NUM_THREADS": str(threads),
    }
    ranks = tuple({"RANK": str(rank), "PET_NODE_RANK": str(rank)} for rank in range(count))
    return Order(_dpo("train", desk), group, ranks)


def _dpo(what: str, desk: Desk) -> list[str]:
    parameters = desk.folder.training / "parameters.json"
    write_atomically(parameters, desk.run.spec.training.model_dump(mode="json", by_alias=True))
    argv = _module(
        "dpo", what, dataset=desk.folder.dataset, base=desk.baseline, output=desk.folder.training, parameters=parameters
    )
    return [*argv, *_addresses(desk.roster, "ledger"), "--run-id", desk.folder.run_id]


def _evaluate(side: Side, desk: Desk) -> Order:
    data, status = desk.run.spec.data, desk.run.status
    suites = desk.folder.path / "suites.json"
    wanted = [suite.model_dump(mode="json", exclude_defaults=True) for suite in desk.run.spec.evaluation.suites]
    write_atomically(suites, wanted)
    argv = _module(
        "evaluate",
        "run",
        endpoint=desk.engines[side],
        model=side.value,
        suites=suites,
        output=desk.folder.evaluation(side),
        culture=desk.run.spec.culture.name,
        judges=",".join(data.judges),
        endpoints=data.endpoints_ref.name,
        law_as_of=status.culture.law_as_of if status.culture else "",
    )
    if side is Side.CANDIDATE:
        argv += ["--dataset", str(desk.folder.dataset)]
    return Order([*argv, "--json", *_addresses(desk.roster, "seed", "policy", "judge")])


def _gate(desk: Desk) -> Order:
    argv = _module(
        "gate",
        "run",
        baseline=desk.folder.evaluation(Side.BASELINE),
        candidate=desk.folder.evaluation(Side.CANDIDATE),
        policy=desk.run.spec.gate.policy_ref.name,
        output=desk.folder.gate,
    )
    return Order([*argv, "--json"])


def _promote(desk: Desk) -> Order:
    promotion = desk.run.spec.promotion
    if promotion is None:
        raise InputError("spec.promotion is absent; only a run that names an environment is promoted")
    return Order(
        _module(
            "promote",
            "run",
            environment=promotion.environment,
            strategy=promotion.strategy,
            model=desk.candidate,
            verdict=desk.folder.gate / "verdict.json",
            output=desk.folder.path / "promotion",
            name=desk.run.metadata.name,
        )
    )


def _module(name: str, /, *words: str, **options: object) -> list[str]:
    told = [part for option, value in options.items() for part in (f"--{option.replace('_', '-')}", str(value))]
    return [sys.executable, "-m", f"gyeol.{name}", *words, *told]


def _addresses(known: Roster, *services: str) -> list[str]:
    return [part for name in services for part in (f"--{name}-address", known.address(name))]
