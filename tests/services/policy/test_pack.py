import shutil
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from gyeol.policy.errors import PackInvalidError, PackMissingError
from gyeol.policy.settings import cultures_folder
from gyeol.policy.store.folder import read_culture, read_cultures
from support.culture import KOREAN, copy, edit, korean


def test_the_korean_pack_is_read_with_everything_it_refers_to() -> None:
    pack = korean().pack
    assert pack.manifest.name == "ko-KR"
    assert len(pack.domains) == 5
    assert len(list(pack.categories())) == 12
    assert len(list(pack.types())) == 53
    assert set(pack.policies) == set(pack.molds) == set(pack.probes) == set("ABCDEFGHIJKL")
    assert len(korean().laws) > 5000


def test_the_digest_does_not_depend_on_comments_key_order_or_line_breaks(tmp_path: Path) -> None:
    folder = copy(tmp_path)
    path = folder / "pack.yaml"
    reordered = dict(reversed(yaml.load(path.read_text(encoding="utf-8"), yaml.BaseLoader).items()))
    reordered["skeleton"] = False
    dumped = yaml.safe_dump(reordered, allow_unicode=True, sort_keys=False, width=40)
    path.write_text(f"# another comment\n\n{dumped}", encoding="utf-8")
    assert read_culture(folder).pack.digest == korean().pack.digest


def test_the_digest_does_not_depend_on_how_syllables_are_encoded(tmp_path: Path) -> None:
    folder = copy(tmp_path)
    path = folder / "terms.yaml"
    path.write_text(unicodedata.normalize("NFD", path.read_text(encoding="utf-8")), encoding="utf-8")
    assert read_culture(folder).pack.digest == korean().pack.digest


def test_the_digest_changes_with_the_content_and_with_the_law_index(tmp_path: Path) -> None:
    folder = copy(tmp_path)
    edit(folder, "terms.yaml", "대포통장", "대포 통장")
    changed = read_culture(folder).pack.digest
    shutil.rmtree(folder / "law-index")
    digests = {korean().pack.digest, changed}
    assert len(digests) == 2
    with pytest.raises(PackInvalidError, match="law index"):
        read_culture(folder)  # articles that only the index knew lead nowhere now


def _write(name: str, content: bytes) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        (folder / name).write_bytes(content)

    return damage


def _edit(file: str, before: str, after: str) -> Callable[[Path], None]:
    return lambda folder: edit(folder, file, before, after)


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        pytest.param(
            _edit("pack.yaml", "skeleton: false", "skeleton: 'no'"),
            r"pack\.yaml:\d+: skeleton = \"no\": must be of type boolean",
            id="wrong type",
        ),
        pytest.param(
            _edit("pack.yaml", 'version: "0.1.0"', "version: 0.1"),
            r"version = 0\.1: must be of type string \(put it in quotation marks\)",
            id="a number where text is meant",
        ),
        pytest.param(
            _edit("molds/G.yaml", "register: haeyo", "registr: haeyo"),
            r"molds/G\.yaml:\d+: molds\[0\]\.registr: is no field of the format",
            id="misspelt field",
        ),
        pytest.param(
            _edit("molds/G.yaml", "register: haeyo", "register: polite"),
            r"molds/G\.yaml:\d+: molds\[0\]\.register: 'polite' is no register of prompt\.yaml: use one of haeyo",
            id="unknown register",
        ),
        pytest.param(
            _edit("molds/G.yaml", "id: G.biometric.m1", "id: G.biometric.one"),
            r"molds\[0\]\.id = \"G\.biometric\.one\": write a mold id such as G\.financial\.m1",
            id="id of another form",
        ),
        pytest.param(
            _edit("molds/G.yaml", "id: G.biometric.m2", "id: G.biometric.m1"),
            r"molds/G\.yaml:\d+: molds\[1\]\.id = G\.biometric\.m1: occurs twice: keep one",
            id="id twice",
        ),
        pytest.param(
            _edit("molds/G.yaml", "type: G.biometric", "type: G.biometrics"),
            r"'G\.biometrics' is no type of category G in taxonomy\.yaml: correct it",
            id="unknown type",
        ),
        pytest.param(
            _edit("molds/G.yaml", "{target} 몰래 {bio}{을/를}", "{target} 몰래 {bio}{를/을}"),
            r"molds/G\.yaml:\d+: molds\[0\]\.text: \{를/을\} at character \d+ is neither a slot",
            id="particle the wrong way round",
        ),
        pytest.param(
            _edit("molds/G.yaml", "required: [target, bio, gate]", "required: [target, bio]"),
            r"molds\[0\]\.required: the text's required slots are \[bio, gate, target\]: list exactly these",
            id="slots that do not match the text",
        ),
        pytest.param(
            _edit("policies/G.yaml", "institutions: [kisa-118", "institutions: [kisa-119"),
            r"policies/G\.yaml:\d+: institutions: institution 'kisa-119' is not in institutions\.yaml",
            id="unknown institution",
        ),
        pytest.param(
            _edit("policies/G.yaml", "{statute: pipa, articles: [제15조", "{statute: pipa, articles: [제315조"),
            r"개인정보 보호법 has no 제315조 in statutes\.yaml or the law index: correct the number",
            id="article that does not exist",
        ),
        pytest.param(
            _edit("policies/G.yaml", "{statute: pipa, articles", "{statute: prosecutors-office-act-old, articles"),
            r"statute prosecutors-office-act-old is repealed: name public-prosecution-office-act",
            id="repealed statute",
        ),
        pytest.param(
            _edit("policies/G.yaml", "norms: [empathy-first", "norms: [empathy-last"),
            r"norms\[0\]: 'empathy-last' is not in norms\.yaml",
            id="unknown norm",
        ),
        pytest.param(
            _edit("policies/G.yaml", "molds: [m1, m4, m5]", "molds: [m1, m4, m9]"),
            r"policies/G\.yaml:\d+: types\.G\.biometric\.open\[0\]: m9 is no mold of this type: use one of m1, m2",
            id="sentence for an unknown mold",
        ),
        pytest.param(
            _edit("policies/G.yaml", "molds: [m1, m4, m5]", "molds: [m1, four]"),
            r"types\.G\.biometric\.open\[0\]\.molds\[1\] = \"four\": write the number of a mold such as m3",
            id="mold number of another form",
        ),
        pytest.param(
            _edit("policies/G.yaml", 'when: {gate: ["휴대폰 잠금"', 'when: {gate: ["자물쇠"'),
            r"'자물쇠' is no value of slot \{gate\}: use one of",
            id="sentence for a filling that no question has",
        ),
        pytest.param(
            _edit("policies/G.yaml", "when: {gate: [", "when: {door: ["),
            r"no mold of the molds it names has a slot \{door\}",
            id="sentence for a slot that no question has",
        ),
        pytest.param(
            _edit("pack.yaml", "skeleton: false", "skeleton: false\nname: ko-KR"),
            r"pack\.yaml:\d+: the key 'name' occurs twice: keep one",
            id="repeated key",
        ),
        pytest.param(_edit("pack.yaml", "name: ko-KR", "name: ["), r"pack\.yaml:\d+: ", id="not YAML"),
        pytest.param(
            _write("terms.yaml", "terms: []".encode("utf-8-sig")), r"terms\.yaml:1: starts with a byte order", id="BOM"
        ),
        pytest.param(
            _write("terms.yaml", "terms: [한글]".encode("cp949")), r"is not UTF-8: save the file as UTF-8", id="CP949"
        ),
        pytest.param(_write("mcq.jsonl", b'{"id": "q"\n'), r"mcq\.jsonl:1: is not JSON", id="broken JSON"),
        pytest.param(
            _write("mcq.jsonl", b'{"id": "q", "category": "c", "question": "q", "choices": ["a"], "answer": 0}\n'),
            r"mcq\.jsonl:1: \[0\]\.choices: has 1 entries: give at least 2",
            id="question without choice",
        ),
        pytest.param(_write("notes.yaml", b"a: b"), r"notes\.yaml: is no file of a pack: rename or remove", id="stray"),
        pytest.param(
            lambda folder: (folder / "attacks.yaml").unlink(), r"attacks\.yaml: is missing: add it", id="missing file"
        ),
    ],
)
def test_a_broken_pack_is_refused_with_file_line_field_and_remedy(
    tmp_path: Path, damage: Callable[[Path], None], complaint: str
) -> None:
    folder = copy(tmp_path, "G")
    damage(folder)
    with pytest.raises(PackInvalidError, match=complaint):
        read_culture(folder)


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    folder = copy(tmp_path, "G")
    edit(folder, "pack.yaml", "skeleton: false", "skeleton: maybe")
    edit(folder, "molds/G.yaml", "register: haeyo", "registr: haeyo")
    with pytest.raises(PackInvalidError) as caught:
        read_culture(folder)
    assert any("pack.yaml" in line for line in caught.value.findings)
    assert any("molds/G.yaml" in line for line in caught.value.findings)


def test_a_folder_without_packs_says_so(tmp_path: Path) -> None:
    with pytest.raises(PackMissingError, match="holds no culture pack"):
        read_cultures(tmp_path)
    with pytest.raises(PackMissingError, match=r"it has no pack\.yaml"):
        read_culture(tmp_path)


def test_the_cultures_folder_is_found_from_a_folder_below(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(KOREAN / "molds")
    assert cultures_folder() == KOREAN.parent
    with pytest.raises(PackMissingError, match="POLICY_CULTURES"):
        cultures_folder(KOREAN / "nowhere")
