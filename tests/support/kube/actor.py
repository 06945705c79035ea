"""Plays the training operator, KServe, Kueue and the kubelet by writing status as they do, so that whole runs go through without nodes.

It works through the API server alone, a real one too. What containers would do, `Stage` does: it leaves what a job leaves.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import hashlib
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from aiohttp import web
from kubernetes_asyncio.client import ApiClient

from gyeol.cluster.client import Cluster, Object
from gyeol.cluster.errors import ClusterError, GoneError
from gyeol.cluster.kind import CONFIG_MAP, INFERENCE_SERVICE, JOB, POD, PYTORCH_JOB, TRAIN_JOB, WORKLOAD, Kind
from gyeol.cluster.report import Report
from gyeol.reconcile.manifest.name import MANAGER
from support.kube.store import now

SELECTOR = f"app.kubernetes.io/managed-by={MANAGER}"
TURN_SECONDS = 0.1


@dataclass(frozen=True)
class Result:
    """How a job ends."""

    exit_code: int = 0
    message: str = ""
    report: Report | None = None


def ok(job: str, **fields: Any) -> Result:
    """A job that left what it should."""
    digest = fields.pop("digest", "sha256:" + hashlib.sha256(job.encode()).hexdigest())
    return Result(report=Report(job, digest, f"pvc://gyeol-artifacts/{job}", **fields))


@dataclass
class Stage:
    """What the containers of each job would do. Tests replace single answers.

    Args:
      artifacts: The claim.
    """

    artifacts: Path
    verdict: str = "Pass"
    answers: dict[str, Callable[[Object, int], Result | None]] = field(default_factory=dict)
    """By job; told the object and how often this job was started before. None: it goes on running."""
    training: Callable[[Object, int], dict[str, Any] | None] = lambda _, __: {"Master": {"succeeded": 1}}
    """Told a training job and how often one was started before: replica statuses of its good end, {} for a failure, None: it goes on."""
    digests: dict[str, str] = field(default_factory=dict)
    """What servers say they serve, by name; absent: what the object says."""
    kueue: bool = False
    """Kueue's integration is on."""
    admits: bool = True
    """Kueue has machines."""
    slow: bool = False
    """KServe leaves every InferenceService as it is."""
    turns: int = 0
    """How often the actor has gone round."""
    started: list[str] = field(default_factory=list)
    """Names of the jobs that were started, training jobs included."""

    def result(self, job: str, value: Object) -> Result | None:
        before = sum(1 for name in self.started[:-1] if re.search(rf"-{_part(job)}-\d+$", name))
        if job in self.answers:
            return self.answers[job](value, before)
        if job == "evaluate-baseline-witness":
            self._leave_responses(value)
        if job == "gate":
            return ok(job, verdict=self.verdict, summary="safe rate rose by 20 points")
        return ok(job.removesuffix("-witness"))

    def _leave_responses(self, value: Object) -> None:
        argv = value["spec"]["template"]["spec"]["initContainers"][-1]["command"]
        folder = self.artifacts / argv[argv.index("gather") + 1]
        folder.mkdir(parents=True, exist_ok=True)
        rows = [{"suite": "cultural-safety", "item_id": "1", "prompt": "학습에서 빠져야 하는 문항입니다."}]
        pq.write_table(pa.Table.from_pylist(rows), folder / "responses.parquet")


def _part(job: str) -> str:
    return job.replace("evaluate-baseline", "eval-base").replace("evaluate-candidate", "eval-cand")


class Actor:
    """Looks at everything the operator made and moves each thing one step on, again and again."""

    def __init__(self, api: ApiClient, namespace: str, stage: Stage) -> None:
        self._cluster = Cluster(api)
        self._namespace = namespace
        self.stage = stage
        self._api = api
        self._port = 0
        self._models: dict[str, tuple[str, str]] = {}
        self._controllers: bool | None = None

    async def run(self) -> None:
        """Plays until cancelled."""
        runner = await self._serve()
        moves: list[tuple[Kind, Callable[[Object], Awaitable[None]]]] = [
            (JOB, self._job), (PYTORCH_JOB, self._pytorch_job), (TRAIN_JOB, self._train_job), (INFERENCE_SERVICE, self._service),
        ]  # fmt: skip
        try:
            while True:
                for kind, move in moves:
                    with contextlib.suppress(ClusterError):
                        found, _ = await self._cluster.list(kind, self._namespace, SELECTOR)
                        for one in found:
                            with contextlib.suppress(GoneError):
                                await move({"apiVersion": kind.api_version, "kind": kind.name, **one})
                self.stage.turns += 1
                await asyncio.sleep(TURN_SECONDS)
        finally:
            await runner.cleanup()

    async def _serve(self) -> web.AppRunner:
        application = web.Application()
        application.router.add_get("/{namespace}/{name}/openai/v1/models", self._list_models)
        runner = web.AppRunner(application, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self._port = runner.addresses[0][1]
        return runner

    async def _list_models(self, request: web.Request) -> web.Response:
        name, digest = self._models[request.match_info["name"]]
        return web.json_response({"data": [{"id": name, "digest": self.stage.digests.get(name.split("-")[0], digest)}]})

    async def _status(self, kind: Kind, value: Object, status: dict[str, Any]) -> None:
        metadata = value["metadata"]
        await self._cluster._asked(  # the operator itself never writes another's status
            "PATCH", kind, kind.path(metadata["namespace"], metadata["name"], "status"), {"fieldManager": "actor"},
            {"status": status}, "application/merge-patch+json",
        )  # fmt: skip

    async def _job(self, value: Object) -> None:
        status = value.get("status") or {}
        if any(one["type"] in ("Complete", "Failed") for one in status.get("conditions") or []):
            return
        name, labels = value["metadata"]["name"], value["metadata"]["labels"]
        if name not in self.stage.started:
            self.stage.started.append(name)
            if not status.get("startTime"):  # a controller for jobs may be at work too
                await self._status(JOB, value, {"startTime": now(), "active": 1, "ready": 1})
            return
        result = self.stage.result(labels["gyeol.dev/job"], value)
        if result is None:
            return
        if await self._has_controllers():
            await self._pods_ended(value, result)
            return
        count = value["spec"].get("completions") or 1
        for index in range(count):
            marks = {"batch.kubernetes.io/job-name": name}
            if value["spec"].get("completionMode") == "Indexed":
                marks["batch.kubernetes.io/job-completion-index"] = str(index)
            await self._pod_ended(await self._pod(value, f"{name}-{index}", marks, value["spec"]["template"]), result)
        good = result.exit_code == 0
        kinds = ("SuccessCriteriaMet", "Complete") if good else ("FailureTarget", "Failed")
        reason = "CompletionsReached" if good else "BackoffLimitExceeded"
        conditions = [
            _condition(kind, reason, "" if good else "Job has reached the specified backoff limit") for kind in kinds
        ]
        ended = {"conditions": conditions, "active": 0, "ready": 0, ("succeeded" if good else "failed"): count}
        if good and value["spec"].get("completionMode") == "Indexed":
            ended["completedIndexes"] = f"0-{count - 1}" if count > 1 else "0"
        await self._status(JOB, value, ended | ({"completionTime": now()} if good else {}))

    async def _has_controllers(self) -> bool:
        """Whether Kubernetes' own controllers are at work: they make a job's pods, and say how it ends."""
        if self._controllers is None:
            with contextlib.suppress(GoneError):
                self._controllers = bool(await self._cluster.get(CONFIG_MAP, self._namespace, "kube-root-ca.crt"))
        return self._controllers is True

    async def _pods_ended(self, job: Object, result: Result) -> None:
        pods, _ = await self._cluster.list(POD, self._namespace, f"controller-uid={job['metadata']['uid']}")
        for pod in pods:
            if pod["status"]["phase"] == "Pending" and not pod["metadata"].get("deletionTimestamp"):
                await self._pod_ended(pod, result)

    async def _pytorch_job(self, value: Object) -> None:
        if value["spec"].get("runPolicy", {}).get("suspend"):
            await self._queued(value, PYTORCH_JOB)
            if not _has(value, "Suspended"):
                await self._status(
                    PYTORCH_JOB,
                    value,
                    {
                        "conditions": [
                            _condition("Created", "PyTorchJobCreated"),
                            _condition("Suspended", "PyTorchJobSuspended"),
                        ]
                    },
                )
            return
        await self._training(value, PYTORCH_JOB, "Succeeded")

    async def _train_job(self, value: Object) -> None:
        if value["spec"].get("suspend"):
            await self._queued(value, TRAIN_JOB)
            if not _has(value, "Suspended"):
                await self._status(TRAIN_JOB, value, {"conditions": [_condition("Suspended", "Suspended", "held")]})
            return
        await self._training(value, TRAIN_JOB, "Complete")

    async def _training(self, value: Object, kind: Kind, good: str) -> None:
        status, name = value.get("status") or {}, value["metadata"]["name"]
        if _has(value, good) or _has(value, "Failed"):
            return
        if name not in self.stage.started:
            self.stage.started.append(name)
            running = [_condition("Running", "Running", "training")] if kind is PYTORCH_JOB else []
            resumed = [_condition("Suspended", "Resumed", "let go", "False")] if _has(value, "Suspended") else []
            began = {"startTime": now()} if kind is PYTORCH_JOB else {}
            await self._status(kind, value, {"conditions": [*resumed, *running], **began})
            return
        before = sum(1 for one in self.stage.started[:-1] if "-train-" in one and "witness" not in one and one != name)
        replicas = self.stage.training(value, before)
        if replicas is None:
            return
        conditions = (
            [_condition(good, "Done", "done")]
            if replicas
            else [_condition("Failed", "BackoffLimitExceeded", "a pod failed too often")]
        )
        ended: dict[str, Any] = {"conditions": conditions}
        if kind is PYTORCH_JOB:
            ended |= {
                "replicaStatuses": replicas,
                "completionTime": now(),
                "startTime": status.get("startTime") or now(),
            }
        else:
            one = {"name": "node", "ready": 0, "active": 0, "suspended": 0}
            ended["jobsStatus"] = [
                one | {"succeeded": 1, "failed": sum(part.get("failed", 0) for part in replicas.values())}
            ]
        await self._status(kind, value, ended)

    async def _queued(self, value: Object, kind: Kind) -> None:
        """Kueue: a Workload for the job, and, when machines are there, its release."""
        queue = value["metadata"]["labels"].get("kueue.x-k8s.io/queue-name")
        if not queue or not self.stage.kueue:
            return
        metadata = value["metadata"]
        pod = {"containers": [{"name": "x", "image": "x"}]}
        workload = {
            "apiVersion": WORKLOAD.api_version, "kind": "Workload",
            "metadata": {"name": f"job-{metadata['name']}", "namespace": metadata["namespace"], "labels": {"kueue.x-k8s.io/job-uid": metadata["uid"]}},
            "spec": {"queueName": queue, "podSets": [{"name": "main", "count": 1, "template": {"spec": pod}}]},
        }  # fmt: skip
        made = await self._cluster.create(WORKLOAD, workload)
        if made is not None and self.stage.admits:
            assigned = {"clusterQueue": "all", "podSetAssignments": [{"name": "main", "count": 1}]}
            await self._status(
                WORKLOAD,
                made,
                {
                    "admission": assigned,
                    "conditions": [
                        _condition("QuotaReserved", "QuotaReserved", "reserved"),
                        _condition("Admitted", "Admitted", "admitted"),
                    ],
                },
            )
            change = {"runPolicy": {"suspend": False}} if kind is PYTORCH_JOB else {"suspend": False}
            await self._cluster.patch(kind, metadata["namespace"], metadata["name"], {"spec": change})

    async def _service(self, value: Object) -> None:
        status, metadata = value.get("status") or {}, value["metadata"]
        if self.stage.slow or status.get("observedGeneration") == metadata["generation"]:
            return
        predictor = value["spec"]["predictor"]
        argv = (
            [*predictor["containers"][0]["command"]]
            if "containers" in predictor
            else [part for one in predictor["model"]["args"] for part in one.split("=")]
        )
        name = argv[argv.index("--name" if "--name" in argv else "--model_name") + 1]
        self._models[metadata["name"]] = (name, metadata.get("annotations", {}).get("gyeol.dev/model-digest", ""))
        url = f"http://127.0.0.1:{self._port}/{metadata['namespace']}/{metadata['name']}"
        ready = [_condition(kind, "", "") for kind in ("PredictorReady", "IngressReady", "Ready")]
        for one in ready:
            one.pop("reason"), one.pop("message")
        made: dict[str, Any] = {
            "observedGeneration": metadata["generation"],
            "conditions": ready,
            "url": url,
            "address": {"url": url},
            "deploymentMode": "Standard",
        }
        canaries = value["spec"].get("canary") or []
        made["canaryStatuses"] = [
            {"name": one["predictor"].get("name", "canary"), "ready": True, "trafficPercent": one["trafficPercent"]}
            for one in canaries
        ] or None
        percent = predictor.get("canaryTrafficPercent")
        latest = f"{metadata['name']}-predictor-{metadata['generation']:05d}"
        traffic = [{"latestRevision": True, "revisionName": latest, "percent": 100 if percent is None else percent}]
        made["components"] = {
            "predictor": {"latestReadyRevision": latest, "latestCreatedRevision": latest, "traffic": traffic}
        }
        await self._status(INFERENCE_SERVICE, value, made)

    async def _pod(self, owner: Object, name: str, labels: dict[str, str], template: Object) -> Object:
        metadata = owner["metadata"]
        reference = {
            "apiVersion": owner["apiVersion"],
            "kind": owner["kind"],
            "name": metadata["name"],
            "uid": metadata["uid"],
        }
        value = {
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": metadata["namespace"], "labels": {**template["metadata"]["labels"], **labels}, "ownerReferences": [reference]},
            "spec": copy.deepcopy(template["spec"]),
        }  # fmt: skip
        return await self._cluster.create(POD, value) or await self._cluster.get(POD, metadata["namespace"], name)

    async def _pod_ended(self, pod: Object, result: Result) -> None:
        def ended(name: str, code: int, message: str) -> dict[str, Any]:
            return {
                "name": name,
                "image": "x",
                "imageID": "x",
                "ready": False,
                "restartCount": 0,
                "state": {
                    "terminated": {"exitCode": code, "message": message, "reason": "Error" if code else "Completed"}
                },
            }

        spec, good = pod["spec"], result.exit_code == 0
        first = [ended(one["name"], 0, "") for one in spec.get("initContainers") or []]
        last = [ended(one["name"], 0, result.report.written() if result.report else "") for one in spec["containers"]]
        if not good and first:
            first[-1], last = ended(spec["initContainers"][-1]["name"], result.exit_code, result.message), []
        elif not good:
            last[-1] = ended(spec["containers"][-1]["name"], result.exit_code, result.message)
        status = {
            "phase": "Succeeded" if good else "Failed",
            "initContainerStatuses": first or None,
            "containerStatuses": last or None,
        }
        await self._status(POD, pod, {key: one for key, one in status.items() if one})


def _has(value: Object, kind: str) -> bool:
    return any(
        one["type"] == kind and one["status"] == "True" for one in (value.get("status") or {}).get("conditions") or []
    )


def _condition(kind: str, reason: str, message: str = "", status: str = "True") -> dict[str, Any]:
    return {"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": now()}
