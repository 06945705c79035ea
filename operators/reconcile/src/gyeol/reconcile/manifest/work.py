"""What each job runs: command line and environment. The same programs as the local hand starts, with paths of the artifact store."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from gyeol.reconcile.alignment import AlignmentRun
from gyeol.reconcile.manifest import place
from gyeol.reconcile.manifest.name import child_metadata, labels, settings_name
from gyeol.reconcile.manifest.pod import KEY, POLICIES, SETTINGS, Container, resources
from gyeol.reconcile.manifest.site import Site, Value
from gyeol.reconcile.seen import EVALUATIONS, Job, Side

_IMAGE = {
    Job.WEIGHTS: "weights",
    Job.PREFLIGHT: "dpo",
    Job.TRAIN: "dpo",
    Job.EVALUATE_BASELINE: "evaluate",
    Job.EVALUATE_CANDIDATE: "evaluate",
    Job.GATE: "gate",
    Job.PROMOTE: "promote",
}
INDEX = "$(JOB_COMPLETION_INDEX)"
"""Which pod of an indexed Job it is; Kubernetes writes the number in its place."""
_LEAST = {"cpu": "500m", "memory": "1Gi"}


@dataclass(frozen=True)
class Ask:
    """Whose jobs are built, and where its models answer."""

    run: AlignmentRun
    site: Site
    run_id: str
    endpoints: Mapping[Side, str] = field(default_factory=dict)
    """OpenAI-compatible base URL of each model that is served."""

    @property
    def uri(self) -> str:
        return self.run.spec.base_model.uri


def served_name(side: str, digest: str) -> str:
    """Name under which a model is served.

    It holds a part of the digest: a server that answers under it has the right weights, also where its runtime knows no digests.
    """
    return f"{side}-{digest.removeprefix('sha256:')[:12]}" if digest else side


def settings(ask: Ask) -> Value:
    """The ConfigMap with the files that jobs read."""
    spec = ask.run.spec
    suites = {
        f"suite-{number}.json": _json([suite.model_dump(mode="json", exclude_defaults=True)])
        for number, suite in enumerate(spec.evaluation.suites)
    }
    parameters = spec.training.model_dump(mode="json", by_alias=True)
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": child_metadata(
            "AlignmentRun", ask.run.metadata, settings_name(ask.run.metadata), labels(ask.run.metadata)
        ),
        "data": {**suites, "parameters.json": _json(parameters)},
    }


def work(job: Job, ask: Ask) -> Container:
    """The container that does a job's work."""
    argv, env, mounts, folder = _command(job, ask)
    site = ask.site
    asked = ask.run.spec.evaluation.resources if job in EVALUATIONS else None
    return Container(
        name="work",
        image=site.images[_IMAGE[job]],
        argv=argv,
        env=env,
        resources=resources(asked, _LEAST) if asked is not None else {"requests": dict(_LEAST)},
        mounts=(("settings", SETTINGS), *mounts),
        working_folder=folder,
        secret={Job.PROMOTE: site.git_secret, Job.WEIGHTS: site.store.secret}.get(job, ""),
    )


def inputs(job: Job, ask: Ask) -> tuple[str, ...]:
    """Folders of the store that a job reads, and the one it may go on in."""
    run_id, uri = ask.run_id, ask.uri
    baseline, data = place.weights(uri), place.dataset(run_id)
    read: dict[Job, tuple[str, ...]] = {
        Job.PREFLIGHT: (baseline, data),
        Job.TRAIN: (baseline, data),
        Job.EVALUATE_CANDIDATE: (data,),
        Job.GATE: (place.made(Job.EVALUATE_BASELINE, run_id, uri), place.made(Job.EVALUATE_CANDIDATE, run_id, uri)),
        Job.PROMOTE: (place.made(Job.GATE, run_id, uri), place.model(Side.CANDIDATE, run_id, uri)),
    }
    return (*read.get(job, ()), place.made(job, run_id, uri))


def training_argv(what: str, ask: Ask) -> list[str]:
    """Command line of the trainer's module, without what starts its processes."""
    run_id, uri = ask.run_id, ask.uri
    options = {
        "dataset": place.mounted(place.dataset(run_id)),
        "base": place.mounted(place.weights(uri)),
        "output": place.mounted(place.made(Job.TRAIN, run_id, uri)),
        "parameters": f"{SETTINGS}/parameters.json",
        "ledger_address": ask.site.addresses["ledger"],
        "run_id": run_id,
    }
    return ["gyeol.dpo", what, *_options(options)]


_Command = tuple[list[str], dict[str, str], tuple[tuple[str, str], ...], str]


def _command(job: Job, ask: Ask) -> _Command:
    run_id, uri, site, spec = ask.run_id, ask.uri, ask.site, ask.run.spec
    output = place.mounted(place.made(job, run_id, uri))
    match job:
        case Job.WEIGHTS:
            services = _options({f"{name}_address": site.addresses[name] for name in ("seed", "policy")})
            cache = place.mounted("weights/cache")
            return _module("weights", "get", uri, *_options({"output": output, "cache": cache}), *services), {}, (), ""
        case Job.PREFLIGHT:
            return ["python", "-m", *training_argv("preflight", ask)], {"OMP_NUM_THREADS": "1"}, (), ""
        case Job.EVALUATE_BASELINE | Job.EVALUATE_CANDIDATE:
            part = f"{place.mounted(place.parts(job, run_id, uri))}/{INDEX}"
            return _module("evaluate", "run", *_evaluation(job, ask, part)), {}, (), ""
        case Job.GATE:
            return _gate(ask, output)
        case Job.PROMOTE:
            if spec.promotion is None:
                raise ValueError("spec.promotion is absent; only a run that names an environment is promoted")
            options = {
                "environment": spec.promotion.environment,
                "strategy": spec.promotion.strategy,
                "model": place.mounted(place.model(Side.CANDIDATE, run_id, uri)),
                "name": ask.run.metadata.name,
                "uri": place.address(site.store, place.model(Side.CANDIDATE, run_id, uri)),
                "verdict": place.mounted(place.made(Job.GATE, run_id, uri)) + "/verdict.json",
                "output": output,
            }
            return _module("promote", "run", *_options(options)), {}, (), ""
        case Job.TRAIN:
            raise ValueError("training is built by its backend")


def _evaluation(job: Job, ask: Ask, output: str) -> list[str]:
    side = Side.BASELINE if job is Job.EVALUATE_BASELINE else Side.CANDIDATE
    status, data = ask.run.status, ask.run.spec.data
    known = status.baseline if side is Side.BASELINE else status.candidate
    options = {
        "endpoint": ask.endpoints[side],
        "model": served_name(side, known.digest if known else ""),
        "suites": f"{SETTINGS}/suite-{INDEX}.json",
        "output": output,
        "cache": place.mounted(f"runs/{ask.run_id}/evaluations/cache"),
        "culture": ask.run.spec.culture.name,
        "judges": ",".join(data.judges),
        "endpoints": data.endpoints_ref.name,
        "law_as_of": status.culture.law_as_of if status.culture else "",
        **{f"{name}_address": ask.site.addresses[name] for name in ("seed", "policy", "judge")},
    }
    argv = _options(options)
    if side is Side.CANDIDATE:
        argv += _options({"dataset": place.mounted(place.dataset(ask.run_id))})
    return [*argv, "--json"]


def _gate(ask: Ask, output: str) -> _Command:
    run_id, uri, site = ask.run_id, ask.uri, ask.site
    options = {
        "baseline": place.mounted(place.made(Job.EVALUATE_BASELINE, run_id, uri)),
        "candidate": place.mounted(place.made(Job.EVALUATE_CANDIDATE, run_id, uri)),
        "policy": ask.run.spec.gate.policy_ref.name,
        "output": output,
    }
    mounts: tuple[tuple[str, str], ...] = ()
    if site.gate_key:
        options["signing_key"] = f"{KEY}/gate.pem"
        mounts += (("key", KEY),)
    if site.gate_policies:
        mounts += (("policies", POLICIES),)  # the gate looks a policy up in its working folder first
    folder = POLICIES if site.gate_policies else ""
    return [*_module("gate", "run", *_options(options)), "--json"], {"MPLCONFIGDIR": "/tmp"}, mounts, folder  # noqa: S108


def _module(name: str, *words: str) -> list[str]:
    return ["python", "-m", f"gyeol.{name}", *words]


def _options(options: Mapping[str, str]) -> list[str]:
    return [part for name, value in options.items() for part in (f"--{name.replace('_', '-')}", value)]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
