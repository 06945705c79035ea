from __future__ import annotations

import copy
import json
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml
from pydantic import JsonValue, ValidationError

from gyeol.reconcile.alignment import AlignmentRun
from gyeol.reconcile.crd.definition import KINDS, definition
from gyeol.reconcile.crd.structural import structural
from gyeol.reconcile.schema import Described
from support.kube.crd import Definition, unknown_fields

DEFINITIONS = {kind.name: Definition.of(definition(kind)) for kind in KINDS}
MODELS = {kind.name: kind.model for kind in KINDS}
DIGEST = "sha256:" + "a" * 64

RUN = yaml.safe_load(f"""\
apiVersion: gyeol.dev/v1alpha1
kind: AlignmentRun
metadata: {{name: ko-test}}
spec:
  culture: {{name: ko-KR, digest: "{DIGEST}", lawAsOf: "2026-06-05"}}
  baseModel: {{uri: "builtin:tiny-ko"}}
  data:
    target: {{acceptedPerStratum: 10, maxCandidates: 400, strata: L1, minimumPerStratum: 2}}
    endpointsRef: {{name: builtin}}
    targetModel: base
    writers: [statute-first, procedure-first]
    judges: [safety, grounding, register]
    benignShare: "0.4"
    budget: {{money: "1.50", currency: KRW, tokens: 5}}
  training:
    method: LoRA
    loss: [{{name: sigmoid, weight: "1.0"}}, {{name: sft, weight: "0.2"}}]
    beta: "0.1"
    learningRate: "5e-6"
    epochs: 1
    processesPerNode: 8
    resources: {{limits: {{nvidia.com/gpu: 8, memory: 64Gi}}}}
    tolerations: [{{key: gpu, operator: Exists, effect: NoSchedule}}]
    affinity:
      nodeAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
          nodeSelectorTerms: [{{matchExpressions: [{{key: pool, operator: In, values: [gpu]}}]}}]
      podAntiAffinity:
        requiredDuringSchedulingIgnoredDuringExecution: [{{topologyKey: zone, namespaceSelector: {{}}}}]
    communication: {{NCCL_SOCKET_IFNAME: eth0}}
    queue: alignment-gpu
    priority: research
    warmupShare: "0.1"
  evaluation:
    suites: [{{name: cultural-safety}}, {{name: over-refusal, items: 50}}]
  gate:
    policyRef: {{name: ko-default}}
  promotion: {{environment: staging, strategy: PullRequest}}
""")
PROMOTION = yaml.safe_load(f"""\
apiVersion: gyeol.dev/v1alpha1
kind: ModelPromotion
metadata: {{name: ko-staging}}
spec:
  model: {{uri: "oci://registry.example/ko@{DIGEST}", digest: "{DIGEST}"}}
  environment: staging
  strategy: Direct
  service: ko
  evidence: {{verdictDigest: "{DIGEST}", policy: ko-default}}
  canary:
    steps: [{{percent: 10, holdSeconds: 600}}, {{percent: 100, holdSeconds: 600}}]
    analysis:
    - {{metric: SafeRate, direction: AtLeast, threshold: "0.9"}}
    - {{metric: OverRefusalRate, direction: AtMost, threshold: "0.2"}}
""")
PACK = yaml.safe_load("""\
apiVersion: gyeol.dev/v1alpha1
kind: CulturePack
metadata: {name: ko-kr}
spec:
  culture: ko-KR
  source: {uri: "oci://registry.example/ko-kr:1", digest: "", publicKeyRef: pack-key}
""")
LIKED = "preferredDuringSchedulingIgnoredDuringExecution"
PREFERRED = {LIKED: [{"weight": 1, "preference": {"matchFields": [{"key": "metadata.name", "operator": "Exists"}]}}]}
SAMPLES = {"AlignmentRun": RUN, "ModelPromotion": PROMOTION, "CulturePack": PACK}


def changed(sample: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    made = copy.deepcopy(sample)
    *way, last = [int(part) if part.isdigit() else part for part in path.split("/")]
    node: Any = made
    for part in way:
        node = node[part]
    if value is ...:
        del node[last]
    else:
        node[last] = value
    return made


def verdict(value: dict[str, Any], old: dict[str, Any] | None = None) -> list[str]:
    one = DEFINITIONS[value["kind"]]
    return unknown_fields(one, value) + one.admitted(value, one.admitted(old)[0] if old else None)[1]


REFUSED = [
    (RUN, "metadata/name", "x" * 41, "at most 40"),
    (RUN, "metadata/name", "9-run", "at most 40"),
    (RUN, "spec/culture/name", "korean", "a language and a country"),
    (RUN, "spec/culture/digest", "sha256:12", "64 hexadecimal digits"),
    (RUN, "spec/culture/lawAsOf", "2026-13-05", "write it as 2026-06-05"),
    (RUN, "spec/baseModel/uri", "ftp://x", "not a model address"),
    (RUN, "spec/baseModel/uri", "hf://", "not a model address"),
    (RUN, "spec/data/target/minimumPerStratum", 11, "above acceptedPerStratum"),
    (RUN, "spec/data/target/acceptedPerStratum", 0, "should be greater than or equal to 1"),
    (RUN, "spec/data/target/strata", "L3", "L3"),
    (RUN, "spec/data/target/maxCandidates", ..., "maxCandidates"),
    (RUN, "spec/data/writers", ["my-model"], "writers names one that is not built in"),
    (RUN, "spec/data/writers", ["statute-first", "statute-first"], "Duplicate"),
    (RUN, "spec/data/writers", [], "should have at least 1 items"),
    (RUN, "spec/data/judges", ["my-judge"], "judges names one that is not built in"),
    (RUN, "spec/data/targetModel", "other", "use base"),
    (RUN, "spec/data/benignShare", "1", "not a share"),
    (RUN, "spec/data/benignShare", 0.4, "must be of type string"),
    (RUN, "spec/data/budget/money", "-1", "decimal from zero"),
    (RUN, "spec/data/budget/currency", "won", "ISO 4217"),
    (RUN, "spec/data/endpointsRef/name", "Big", "not a name"),
    (RUN, "spec/data/decision", "Mostly", "Mostly"),
    (RUN, "spec/training/backend", "MPIJob", "MPIJob"),
    (RUN, "spec/training/beta", "0", "positive decimal"),
    (RUN, "spec/training/beta", "abc", "positive decimal"),
    (RUN, "spec/training/loss", [{"name": "sft", "weight": "1"}], "no preference term"),
    (RUN, "spec/training/loss/1/name", "sigmoid", "Duplicate"),
    (RUN, "spec/training/warmupShare", "1.0", "not below 1"),
    (RUN, "spec/training/processesPerNode", 0, "from 1 to 64"),
    (RUN, "spec/training/processesPerNode", "all", "write auto"),
    (RUN, "spec/training/nodes", 257, "257"),
    (RUN, "spec/training/resources/limits", {"bad name": 1}, "names a resource"),
    (RUN, "spec/training/resources/limits", {"cpu": "many"}, "not a quantity"),
    (RUN, "spec/training/communication", {"PATH": "/x"}, "no communication library"),
    (RUN, "spec/training/queue", "Queue", "leave it empty"),
    (RUN, "spec/training/cleanPodPolicy", "Never", "Never"),
    (RUN, "spec/training/activeDeadlineSeconds", 1, "1"),
    (RUN, "spec/training/learnRate", "1", "learnRate"),
    (RUN, "spec/evaluation/suites/1/name", "cultural-safety", "Duplicate"),
    (RUN, "spec/training/affinity", {"nodeAfinity": {}}, "nodeAfinity"),
    (RUN, "spec/training/affinity/nodeAffinity", PREFERRED | {"weight": 1}, "weight"),
    (RUN, "spec/training/affinity/nodeAffinity", {LIKED: [{"weight": 101, "preference": {}}]}, "101"),
    (RUN, "spec/evaluation/suites/1/items", 100_001, "100001"),
    (RUN, "spec/gate/policyRef", {}, "name"),
    (RUN, "spec/gate", ..., "gate"),
    (RUN, "spec/promotion/strategy", "Push", "Push"),
    (RUN, "spec/serving", {"runtime": "Triton"}, "Triton"),
    (PROMOTION, "spec/model/digest", "", ""),
    (PROMOTION, "spec/model/digest", ..., "digest"),
    (PROMOTION, "spec/evidence/verdictDigest", ..., "verdictDigest"),
    (PROMOTION, "spec/evidence/policy", ..., "policy"),
    (PROMOTION, "spec/canary/steps/1/percent", 50, "rise to 100"),
    (PROMOTION, "spec/canary/steps/0/percent", 100, "rise to 100"),
    (PROMOTION, "spec/canary/steps/0/percent", 101, "101"),
    (PROMOTION, "spec/canary/steps/0/holdSeconds", ..., "holdSeconds"),
    (PROMOTION, "spec/canary/analysis", ..., "analysis"),
    (PROMOTION, "spec/canary/analysis", [], "should have at least 1 items"),
    (PROMOTION, "spec/canary/analysis/0/threshold", ..., "threshold"),
    (PROMOTION, "spec/canary/analysis/0/threshold", "high", "decimal"),
    (PROMOTION, "spec/canary/analysis/0/direction", ..., "direction"),
    (PROMOTION, "spec/canary/analysis/0/direction", "AtMost", "direction does not fit"),
    (PROMOTION, "spec/canary/analysis/1/metric", "SafeRate", "Duplicate"),
    (PROMOTION, "spec/strategy", ..., "strategy"),
    (PACK, "spec/culture", "korea", "a language and a country"),
    (PACK, "spec/source/uri", "ftp://x", "not the address of a pack"),
    (PACK, "spec/source/digest", "abc", "64 hexadecimal"),
]  # fmt: skip


@pytest.mark.parametrize("kind", SAMPLES)
def test_a_sound_object_is_accepted_by_the_api_server_and_by_the_model(kind: str) -> None:
    assert verdict(SAMPLES[kind]) == []
    MODELS[kind].model_validate(_frozen(SAMPLES[kind]))


@pytest.mark.parametrize(
    ("sample", "path", "value", "said"), REFUSED, ids=lambda one: str(one)[:40] if isinstance(one, str) else ""
)
def test_what_is_wrong_is_refused_by_the_api_server_and_by_the_model(
    sample: dict[str, Any], path: str, value: Any, said: str
) -> None:
    wrong = changed(sample, path, value)
    assert said in "\n".join(verdict(wrong))
    assert verdict(wrong)
    with pytest.raises(ValidationError):
        MODELS[sample["kind"]].model_validate(_frozen(wrong))


FIXED = [
    (RUN, "spec/culture/name", "ja-JP"),
    (RUN, "spec/baseModel/uri", "hf://x/y"),
    (RUN, "spec/data/benignShare", "0.3"),
    (RUN, "spec/training/epochs", 2),
    (RUN, "spec/training/affinity/nodeAffinity", ...),
    (RUN, "spec/training/affinity/nodeAffinity", PREFERRED),
    (RUN, "spec/evaluation/suites/1/items", 51),
    (RUN, "spec/gate/policyRef/name", "other"),
    (RUN, "spec/promotion/environment", "production"),
    (RUN, "spec/promotion", ...),
    (RUN, "spec/serving", {"runtime": "Predictor"}),
    (PROMOTION, "spec/model/uri", "oci://other/ko:2"),
    (PROMOTION, "spec/environment", "production"),
    (PROMOTION, "spec/strategy", "PullRequest"),
    (PROMOTION, "spec/service", "other"),
    (PROMOTION, "spec/evidence/policy", "other"),
    (PROMOTION, "spec/canary/probes", 60),
    (PROMOTION, "spec/canary", ...),
    (PROMOTION, "spec/serving", {"runtime": "Predictor"}),
    (PACK, "spec/culture", "ja-JP"),
]


@pytest.mark.parametrize(("sample", "path", "value"), FIXED)
def test_what_defines_an_object_cannot_be_changed_and_the_message_says_what_to_do(
    sample: dict[str, Any], path: str, value: Any
) -> None:
    said = verdict(changed(sample, path, value), old=sample)
    assert any("is fixed; create a" in one for one in said), said


CHANGEABLE = [
    (RUN, "spec/suspend", True),
    (PROMOTION, "spec/rollback", True),
    (PACK, "spec/source/uri", "oci://x/y:2"),
    (RUN, "metadata/labels", {"a": "b"}),
]


@pytest.mark.parametrize(("sample", "path", "value"), CHANGEABLE)
def test_what_a_person_steers_with_can_be_changed(sample: dict[str, Any], path: str, value: Any) -> None:
    assert verdict(changed(sample, path, value), old=sample) == []


def test_a_rollback_is_not_taken_back() -> None:
    gone_back = changed(PROMOTION, "spec/rollback", True)
    assert any("is not taken back" in one for one in verdict(PROMOTION, old=gone_back))


def nodes(schema: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    yield path, schema
    for key, one in (schema.get("properties") or {}).items():
        yield from nodes(one, f"{path}.{key}")
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from nodes(schema[key], f"{path}[]")


EVERYTHING = [
    (f"{kind.name}{path}", schema)
    for kind in KINDS
    for path, schema in nodes(definition(kind)["spec"]["versions"][0]["schema"]["openAPIV3Schema"])
]


def broken(check: Callable[[str, dict[str, Any]], bool]) -> list[str]:
    return [path for path, schema in EVERYTHING if not check(path, schema)]


def test_every_field_is_described() -> None:
    told = broken(
        lambda path, schema: "description" in schema or path.endswith(("[]", ".apiVersion", ".kind", ".metadata"))
    )
    assert told == []


def test_every_list_of_a_specification_is_bounded_and_says_how_its_entries_are_told_apart() -> None:
    lists = [(path, schema) for path, schema in EVERYTHING if schema.get("type") == "array"]
    assert [path for path, schema in lists if "maxItems" not in schema or "x-kubernetes-list-type" not in schema] == []


def test_every_string_that_a_rule_reads_is_bounded_so_that_the_rule_has_a_cost() -> None:
    def bounded(_: str, schema: dict[str, Any]) -> bool:
        text = schema.get("type") == "string" or schema.get("x-kubernetes-int-or-string")
        reads = any("matches" in rule["rule"] for rule in schema.get("x-kubernetes-validations", []))
        return not (text and reads) or "maxLength" in schema

    assert broken(bounded) == []


@pytest.mark.parametrize("kind", DEFINITIONS)
def test_no_rule_costs_more_than_the_api_server_allows(kind: str) -> None:
    """The API server refuses a definition by the worst case of its rules; regular expressions are what costs here."""
    (schema,) = DEFINITIONS[kind].versions.values()
    costs = dict(rule_costs(schema, kind, 1))
    assert [path for path, cost in costs.items() if cost > 10_000_000] == []
    assert sum(costs.values()) < 100_000_000


def rule_costs(schema: Any, path: str, times: int) -> Iterator[tuple[str, int]]:
    """Where regular expressions are matched, and the estimate of it: a tenth of the text, a quarter of the expression, every entry."""
    size = 4 * schema["maxLength"] if "maxLength" in schema else 3 * 2**20
    for number, rule in enumerate(schema.get("x-kubernetes-validations", [])):
        for expression in re.findall(r"matches\('(.*?)'\)", rule["rule"]):
            yield f"{path}/{number}", times * math.ceil((size + 1) / 10) * math.ceil(len(expression) / 4)
    for name, one in (schema.get("properties") or {}).items():
        yield from rule_costs(one, f"{path}.{name}", times)
    if "items" in schema:
        yield from rule_costs(schema["items"], f"{path}[]", times * schema.get("maxItems", 2**20))
    free = schema.get("additionalProperties")
    if isinstance(free, dict):
        yield from rule_costs(free, f"{path}{{}}", times * schema.get("maxProperties", 2**20))


def test_defaults_are_valid_themselves() -> None:
    for path, schema in EVERYTHING:
        if "default" in schema:
            assert "null" not in json.dumps(schema["default"]), path


def test_there_are_no_floats() -> None:
    assert broken(lambda _, schema: schema.get("type") != "number") == []


def test_list_keys_are_required_or_have_a_default() -> None:
    maps = [(path, schema) for path, schema in EVERYTHING if schema.get("x-kubernetes-list-type") == "map"]
    assert maps
    for path, schema in maps:
        (key,) = schema["x-kubernetes-list-map-keys"]
        assert key in schema["items"]["required"], path


def test_kubectl_get_alignment_lists_every_kind_and_short_names_do_not_collide() -> None:
    names = [definition(kind)["spec"]["names"] for kind in KINDS]
    assert all(one["categories"] == ["alignment"] for one in names)
    short = [name for one in names for name in one["shortNames"]]
    assert len(short) == len(set(short))


def test_the_columns_of_a_run_say_what_it_is_doing() -> None:
    columns = definition(KINDS[0])["spec"]["versions"][0]["additionalPrinterColumns"]
    assert [one["name"].upper() for one in columns] == [
        "STATE",
        "REASON",
        "PROGRESS",
        "ACCEPTED",
        "VERDICT",
        "MODEL",
        "AGE",
    ]


def _frozen(value: Any) -> Any:
    """Lists as the models hold them; strict models take no list for a tuple."""
    if isinstance(value, dict):
        return {key: _frozen(one) for key, one in value.items()}
    return tuple(_frozen(one) for one in value) if isinstance(value, list) else value


def test_a_whole_public_suite_may_be_asked_for() -> None:
    assert verdict(changed(RUN, "spec/evaluation/suites/1/items", 35_030)) == []


def test_what_is_absent_in_an_affinity_stays_absent_and_what_is_empty_stays_empty() -> None:
    affinity = RUN["spec"]["training"]["affinity"]
    written = AlignmentRun.model_validate(_frozen(RUN)).spec.training.affinity.model_dump(mode="json")
    assert written == affinity


def test_a_part_without_a_schema_is_no_part_of_a_definition() -> None:
    class Free(Described):
        anything: dict[str, JsonValue]
        status: str = ""

    with pytest.raises(TypeError, match="a part without a schema"):
        structural(Free)


def test_models_are_all_of_one_strictness() -> None:
    assert all(issubclass(kind.model, Described) for kind in KINDS)
