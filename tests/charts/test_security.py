"""Nothing runs with more rights than its work needs."""

from __future__ import annotations

import re

import pytest

from gyeol.reconcile.manifest import pod
from support.helm import Helm, Manifest, one, pods

_VOLUMES = {"configMap", "secret", "emptyDir", "persistentVolumeClaim", "projected"}
_VERBS = {"*", "escalate", "bind", "impersonate", "deletecollection"}


def test_every_pod_meets_the_restricted_standard(world: list[Manifest]) -> None:
    found = 0
    for name, spec in pods(world):
        security = spec["securityContext"]
        assert security["runAsNonRoot"] is True, name
        assert security["runAsUser"] > 0, name
        assert security["seccompProfile"] == {"type": "RuntimeDefault"}, name
        assert not {"hostNetwork", "hostPID", "hostIPC"} & set(spec), name
        for volume in spec["volumes"]:
            assert set(volume) - {"name"} <= _VOLUMES, name
        for container in (*spec["containers"], *spec.get("initContainers", ())):
            inner = container["securityContext"]
            assert inner["allowPrivilegeEscalation"] is False, name
            assert inner["capabilities"] == {"drop": ["ALL"]}, name
            assert inner["readOnlyRootFilesystem"] is True, name
            assert not any("hostPort" in port for port in container.get("ports", ())), name
        found += 1
    assert found >= 8


def test_every_container_has_a_memory_limit_and_requests(world: list[Manifest]) -> None:
    for name, spec in pods(world):
        for container in spec["containers"]:
            if not name.startswith("InferenceService"):
                assert set(container["resources"]["requests"]) == {"cpu", "memory"}, name
                assert "memory" in container["resources"]["limits"], name


def test_only_the_operator_and_the_credentials_job_talk_to_the_api_server(world: list[Manifest]) -> None:
    with_token = {name for name, spec in pods(world) if spec["automountServiceAccountToken"]}
    assert with_token - {"Job/gyeol-credentials"} == {"Deployment/gyeol-cluster"}
    accounts = [item for item in world if item["kind"] == "ServiceAccount"]
    assert all(item["automountServiceAccountToken"] is False for item in accounts)


def test_every_service_has_an_account_of_its_own(world: list[Manifest]) -> None:
    for item in world:
        if item["kind"] == "Deployment":
            assert item["spec"]["template"]["spec"]["serviceAccountName"] == item["metadata"]["name"]


def test_no_service_learns_of_other_services_from_its_environment(world: list[Manifest]) -> None:
    """Kubernetes would set SEED_PORT to an address, because a Service is named seed."""
    assert all(spec["enableServiceLinks"] is False for _, spec in pods(world))


def test_jobs_and_services_write_as_the_same_user(world: list[Manifest]) -> None:
    assert {spec["securityContext"]["fsGroup"] for _, spec in pods(world)} == {pod.USER}


def rules(world: list[Manifest], *kinds: str) -> list[dict[str, list[str]]]:
    return [rule for item in world if item["kind"] in kinds for rule in item["rules"]]


def test_no_role_may_do_everything_or_make_itself_stronger(world: list[Manifest]) -> None:
    for rule in rules(world, "Role", "ClusterRole"):
        assert not _VERBS & set(rule["verbs"])
        assert "*" not in rule["resources"]
        assert "*" not in rule["apiGroups"]
        assert not {"roles", "clusterroles", "rolebindings", "clusterrolebindings", "nodes"} & set(rule["resources"])


def about_secrets(world: list[Manifest]) -> list[dict[str, list[str]]]:
    """Rules about Secrets, but for those of the job that makes them."""
    others = [item for item in world if item["metadata"]["name"] != "gyeol-credentials"]
    return [rule for rule in rules(others, "Role", "ClusterRole") if "secrets" in rule["resources"]]


def test_the_operator_reads_no_secret_but_the_public_keys_that_are_named(tool: Helm) -> None:
    assert about_secrets(tool.world("default")) == []
    (rule,) = about_secrets(tool.manifests(values={"cluster.packKeys": ["pack-key", "other-key"]}))
    assert rule == {
        "apiGroups": [""], "resources": ["secrets"], "resourceNames": ["pack-key", "other-key"], "verbs": ["get"],
    }  # fmt: skip


def test_the_credentials_job_reads_its_own_secrets_only(tool: Helm) -> None:
    role = one(tool.world("default"), "Role", "gyeol-credentials")
    assert [rule for rule in role["rules"] if "get" in rule["verbs"]] == [
        {
            "apiGroups": [""], "resources": ["secrets"], "verbs": ["get", "patch"],
            "resourceNames": ["gyeol-nats-users", "gyeol-gateway-access"],
        }
    ]  # fmt: skip
    assert "gyeol-credentials" not in [item["metadata"]["name"] for item in tool.world("external")]


def test_in_one_namespace_the_operator_has_no_rights_in_others(tool: Helm) -> None:
    manifests = tool.manifests(values={"cluster.readDefinitions": False})
    assert not [item for item in manifests if item["kind"] in ("ClusterRole", "ClusterRoleBinding")]
    allowed = rules(tool.world("default"), "ClusterRole")
    assert [(rule["verbs"], rule["resourceNames"]) for rule in allowed] == [
        (["get"], ["inferenceservices.serving.kserve.io"])
    ]


def test_in_all_namespaces_the_lease_stays_in_one(tool: Helm) -> None:
    manifests = tool.world("external")
    assert one(manifests, "ClusterRole", "apps-gyeol-cluster")
    assert not [rule for rule in rules(manifests, "ClusterRole") if "leases" in rule["resources"]]


@pytest.mark.parametrize("path", ["hand", "cache", "reporter", "promotion", "observer", "ward", "offer", "leader"])
def test_what_the_operator_asks_of_a_kind_its_role_allows(tool: Helm, path: str) -> None:
    """Reads its source: every kind that it names has a rule."""
    from pathlib import Path

    import gyeol.cluster
    from gyeol.cluster import kind as kinds

    source = (Path(next(iter(gyeol.cluster.__path__))) / f"{path}.py").read_text(encoding="utf-8")
    named = {
        word for word in re.findall(r"\b[A-Z_]{3,}\b", source) if isinstance(getattr(kinds, word, None), kinds.Kind)
    }
    allowed = {
        (group, resource)
        for rule in rules(tool.world("external"), "ClusterRole", "Role")
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }
    wanted = {(getattr(kinds, word).group, getattr(kinds, word).plural) for word in named}
    assert wanted <= allowed


@pytest.mark.parametrize("name", ["default", "ci", "external"])
def test_a_policy_stands_before_every_pod(tool: Helm, name: str) -> None:
    manifests = tool.world(name)
    guarded = {
        item["spec"]["podSelector"]["matchLabels"]["app.kubernetes.io/name"]
        for item in manifests
        if item["kind"] == "NetworkPolicy"
    }
    running = {
        item["spec"]["template"]["metadata"]["labels"]["app.kubernetes.io/name"]
        for item in manifests
        if item["kind"] in ("Deployment", "StatefulSet")
    }
    assert guarded == running


def callers(policy: Manifest) -> set[str]:
    grpc = next(rule for rule in policy["spec"]["ingress"] if {"port": "grpc"} in rule["ports"])
    return {
        peer["podSelector"]["matchLabels"]["app.kubernetes.io/name"]
        for peer in grpc["from"]
        if "matchLabels" in peer["podSelector"]
    }


def test_a_service_is_open_to_exactly_those_that_are_told_its_address(tool: Helm) -> None:
    manifests = tool.world("default")
    told: dict[str, set[str]] = {}
    for item in manifests:
        if item["kind"] != "Deployment":
            continue
        container = item["spec"]["template"]["spec"]["containers"][0]
        for variable in container["env"]:
            if found := re.fullmatch(r"dns:///gyeol-(\w+)\.apps\.svc:8080", variable.get("value", "")):
                told.setdefault(found[1], set()).add(container["name"])
    for name in ("seed", "policy", "judge", "ledger"):
        open_to = callers(one(manifests, "NetworkPolicy", f"gyeol-{name}")) - {"probe"}
        assert told[name] <= open_to, name


def test_services_without_business_outside_reach_nothing_there(tool: Helm) -> None:
    closed = {
        item["metadata"]["name"]
        for item in tool.world("default")
        if item["kind"] == "NetworkPolicy" and "Egress" in item["spec"]["policyTypes"]
    }
    assert closed == {"gyeol-policy", "gyeol-gateway"}


def test_jobs_of_other_namespaces_come_in_only_where_the_operator_works_there(tool: Helm) -> None:
    for name, everywhere in (("default", False), ("external", True)):
        policy = one(tool.world(name), "NetworkPolicy", "gyeol-ledger")
        jobs = [
            peer
            for rule in policy["spec"]["ingress"]
            for peer in rule.get("from", ())
            if "matchExpressions" in peer.get("podSelector", {})
        ]
        assert [("namespaceSelector" in peer) for peer in jobs] == [everywhere]
        assert jobs[0]["podSelector"]["matchExpressions"][0]["key"] == "gyeol.dev/job"


def test_secrets_are_mounted_or_referred_to_and_never_written(world: list[Manifest]) -> None:
    assert "Secret" not in {item["kind"] for item in world}
