from __future__ import annotations

import pytest

from gyeol.reconcile.document import parse_alignment_run, parse_culture_pack, parse_model_promotion
from gyeol.reconcile.fault import SpecificationError
from support.world import DOCUMENT

REFUSALS = [
    ('benignShare: "0.4"', "benignShare: 0.4", 'run.yaml:12: spec.data.benignShare: 0.4 is a number, and decimals are strings here; write "0.4"'),
    ('benignShare: "0.4"', 'benignShare: "1"', "run.yaml:12: spec.data.benignShare: '1' is not a share; write a decimal from \"0\" up to, but not including, \"1\""),
    ("acceptedPerStratum", "acceptedPerStrata", "run.yaml:8: spec.data.target.acceptedPerStrata: is not a field; did you mean 'acceptedPerStratum'?"),
    ("strata: L1", "strata: L3", "run.yaml:8: spec.data.target.strata: 'L3' is not known; write one of 'L1', 'L2'"),
    ('    beta: "0.1"\n', "", "run.yaml:14: spec.training.beta: is required; add 'beta'"),
    ("epochs: 1", 'epochs: "1"', "run.yaml:19: spec.training.epochs: '1' is not a whole number; write digits without quotes"),
    ("epochs: 1", "epochs: 0", "run.yaml:19: spec.training.epochs: 0 is below 1; write 1 or more"),
    ("epochs: 1", "epochs: 1\n    epochs: 2", "run.yaml:20: is not valid YAML: 'epochs' is written twice; keep one of them"),
    ("epochs: 1", "epochs: 1\n    processesPerNode: many", "run.yaml:20: spec.training.processesPerNode: 'many' is not a number of processes; write auto or a whole number from 1 to 64"),
    ("[safety, grounding", "[safty, grounding", "run.yaml:11: spec.data.judges: names 'safty', which is not built in; use safety, grounding, register, or name a models file in endpointsRef.name"),
    ("builtin:tiny-ko", "tiny-ko", "run.yaml:6: spec.baseModel.uri: 'tiny-ko' is not a model address; start it with one of builtin:, file://, gguf:, hf://, oci://, pvc://, s3://"),
    ("name: ko-test", "name: Ko_Test", "run.yaml:3: metadata.name: 'Ko_Test' is not a name; use lower-case letters, digits and '-', starting with a letter"),
    ("name: ko-test", f"name: {'k' * 41}", "has 41 characters; use at most 40"),
    ("kind: AlignmentRun", "kind: ModelPromotion", "run.yaml:2: describes gyeol.dev/v1alpha1 ModelPromotion; gyeol.dev/v1alpha1 AlignmentRun is needed here"),
    ("spec:", "spec: 3\nrest:", "run.yaml:4: spec: 3 is not a mapping; write its fields below it"),
    ("    policyRef: {name: ko-default}", "    policyRef: {", "is not valid YAML"),
    ("suites: [{name: cultural-safety}, {name: over-refusal}]", "suites: []", "run.yaml:21: spec.evaluation.suites"),
    ("name: sft, weight", "name: sigmoid, weight", "run.yaml:16: spec.training.loss: names the same term twice"),
]  # fmt: skip


@pytest.mark.parametrize(("written", "instead", "message"), REFUSALS, ids=[instead for _, instead, _ in REFUSALS])
def test_a_refusal_names_line_field_value_and_remedy(written: str, instead: str, message: str) -> None:
    assert written in DOCUMENT
    with pytest.raises(SpecificationError) as refused:
        parse_alignment_run(DOCUMENT.replace(written, instead, 1), "run.yaml")
    assert message in str(refused.value)


def test_every_fault_is_told_at_once() -> None:
    text = DOCUMENT.replace("epochs: 1", "epochs: 0").replace("strata: L1", "strata: L9")
    with pytest.raises(SpecificationError) as refused:
        parse_alignment_run(text, "run.yaml")
    assert [fault.path for fault in refused.value.faults] == ["spec.data.target.strata", "spec.training.epochs"]


def test_a_misspelt_field_is_not_also_reported_as_missing() -> None:
    with pytest.raises(SpecificationError) as refused:
        parse_alignment_run(DOCUMENT.replace("maxCandidates", "maxCandidate"), "run.yaml")
    assert len(refused.value.faults) == 1


@pytest.mark.parametrize("text", ["", "# nothing\n", "- a\n- b\n", "a\n", DOCUMENT + "---\n" + DOCUMENT])
def test_a_file_that_is_not_one_object_is_refused(text: str) -> None:
    with pytest.raises(SpecificationError):
        parse_alignment_run(text, "run.yaml")


def test_a_file_in_another_encoding_is_refused_and_a_byte_order_mark_is_not() -> None:
    with pytest.raises(SpecificationError, match="UTF-8"):
        parse_alignment_run("# 결\n".encode("cp949") + DOCUMENT.encode(), "run.yaml")
    assert parse_alignment_run(b"\xef\xbb\xbf" + DOCUMENT.encode(), "run.yaml").metadata.name == "ko-test"


def test_words_that_yaml_reads_as_other_types_stay_what_the_field_says() -> None:
    run = parse_alignment_run(DOCUMENT.replace("{name: ko-KR}", "{name: ko-KR, lawAsOf: 2026-06-05}"), "run.yaml")
    assert run.spec.culture.law_as_of == "2026-06-05"
    assert run.spec.data.review == "None"


def test_fields_are_not_accepted_under_their_names_in_code() -> None:
    with pytest.raises(SpecificationError, match="did you mean 'maxCandidates'"):
        parse_alignment_run(DOCUMENT.replace("maxCandidates", "max_candidates"), "run.yaml")


def test_what_the_api_server_adds_to_the_metadata_is_accepted() -> None:
    added = "{name: ko-test, uid: abc, generation: 3, resourceVersion: '7', creationTimestamp: 2026-11-30T00:00:00Z}"
    run = parse_alignment_run(DOCUMENT.replace("{name: ko-test}", added), "run.yaml")
    assert (run.metadata.uid, run.metadata.generation) == ("abc", 3)


PROMOTION = f"""\
apiVersion: gyeol.dev/v1alpha1
kind: ModelPromotion
metadata: {{name: ko-staging}}
spec:
  model: {{uri: "oci://registry.example/ko:1", digest: "sha256:{"a" * 64}"}}
  environment: staging
  strategy: Direct
  evidence: {{verdictDigest: "sha256:{"b" * 64}", policy: ko-default}}
  canary: {{steps: [{{percent: 10, holdSeconds: 600}}, {{percent: 100, holdSeconds: 600}}], analysis: [{{metric: SafeRate, direction: AtLeast, threshold: "0.9"}}]}}
"""


def test_a_promotion_states_its_evidence_and_a_canary_that_ends_with_everybody() -> None:
    assert parse_model_promotion(PROMOTION, "p.yaml").spec.canary is not None
    with pytest.raises(SpecificationError, match=r"p.yaml:9: spec.canary.steps: do not rise to 100 percent"):
        parse_model_promotion(PROMOTION.replace("percent: 100", "percent: 50"), "p.yaml")
    with pytest.raises(SpecificationError, match=r"spec.evidence.policy: is required"):
        parse_model_promotion(PROMOTION.replace(", policy: ko-default", ""), "p.yaml")


def test_a_pack_comes_from_a_known_kind_of_place() -> None:
    text = "apiVersion: gyeol.dev/v1alpha1\nkind: CulturePack\nmetadata: {name: ko-kr}\nspec:\n  culture: ko-KR\n  source: {uri: 'oci://x/y'}\n"
    assert parse_culture_pack(text, "c.yaml").spec.culture == "ko-KR"
    with pytest.raises(SpecificationError, match=r"c.yaml:6: spec.source.uri: 'ftp://x' is not the address of a pack"):
        parse_culture_pack(text.replace("oci://x/y", "ftp://x"), "c.yaml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("? [a, b]\n: 1\n", "run.yaml:1: is not valid YAML: a list or a mapping stands where a field's name is needed"),
        ("a: " + "[" * 5000 + "]" * 5000, "run.yaml: is nested too deeply"),
        (
            "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 40)),
            "run.yaml: stands for more than 100000 values",
        ),
        ("a: &a [*a]\n", "run.yaml: stands for more than 100000 values"),
    ],
    ids=["list as key", "depth", "aliases of aliases", "alias of itself"],
)
def test_a_document_that_is_made_to_hurt_is_refused_at_once(text: str, message: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        parse_alignment_run(text, "run.yaml")
    assert str(caught.value).startswith(message)
