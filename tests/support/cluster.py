"""A cluster's offer and a run on it, for builders."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import yaml

from gyeol.reconcile.alignment import AlignmentRun
from gyeol.reconcile.document import parse_alignment_run
from gyeol.reconcile.identity import run_id
from gyeol.reconcile.manifest.site import Site, Store
from gyeol.reconcile.manifest.work import Ask
from gyeol.reconcile.seen import Side
from gyeol.reconcile.status import AlignmentRunStatus, ModelStatus, PinnedCulture
from support.world import DIGEST, DOCUMENT

UID = "5b1f0d4e-6a0c-4a86-9a3c-1f0e3e6c2b11"
IMAGES = {
    name: f"registry.example/gyeol-{name}:0.1.0"
    for name in ("weights", "dpo", "evaluate", "gate", "promote", "predictor", "cluster")
}
ADDRESSES = {name: f"dns:///gyeol-{name}.gyeol.svc:8080" for name in ("seed", "policy", "judge", "ledger")}
VOLUME = Site(IMAGES, Store("pvc", claim="gyeol-artifacts"), ADDRESSES)
BUCKET = replace(VOLUME, store=Store("s3", url="s3://models/gyeol", secret="gyeol-s3"))
GPU_TRAINING: dict[str, Any] = {
    "nodes": 4,
    "resources": {"limits": {"nvidia.com/gpu": 8, "memory": "512Gi"}, "requests": {"cpu": "64"}},
    "nodeSelector": {"pool": "gpu-h100"},
    "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
    "affinity": {
        "podAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {
                    "weight": 100,
                    "podAffinityTerm": {
                        "topologyKey": "topology.kubernetes.io/zone",
                        "labelSelector": {"matchLabels": {"gyeol.dev/job": "train"}},
                    },
                }
            ]
        }
    },
    "communication": {"NCCL_SOCKET_IFNAME": "eth0", "NCCL_IB_HCA": "mlx5"},
    "queue": "alignment-gpu",
    "priority": "research",
    "activeDeadlineSeconds": 86400,
}


def submitted(name: str = "ko-test", *, status: bool = True, **spec: Any) -> AlignmentRun:
    """A run as the API server has it; `spec` changes parts of its specification, merged one level deep."""
    value = yaml.safe_load(DOCUMENT)
    value["metadata"] = {"name": name, "namespace": "research", "uid": UID, "generation": 1}
    for key, one in spec.items():
        before = value["spec"].get(key)
        value["spec"][key] = {**before, **one} if isinstance(before, dict) and isinstance(one, dict) else one
    run = parse_alignment_run(yaml.safe_dump(value), "run.yaml")
    known = AlignmentRunStatus(
        culture=PinnedCulture(name="ko-KR", digest=DIGEST, law_as_of="2026-06-05"),
        baseline=ModelStatus(digest=DIGEST),
        candidate=ModelStatus(digest="sha256:" + "1" * 64),
    )
    return run.model_copy(update={"status": known}) if status else run


def asked(run: AlignmentRun, site: Site = VOLUME) -> Ask:
    """What builders are given."""
    url = "http://ko-test-{}.research.svc.cluster.local/openai/v1"
    return Ask(run, site, run_id(run), {side: url.format(side.value) for side in Side})
