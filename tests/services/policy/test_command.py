import json
import re
import subprocess
import sys
from datetime import datetime
from importlib.metadata import entry_points
from pathlib import Path

import pyarrow
import pyarrow.parquet as parquet
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from typer.testing import CliRunner, Result

from gyeol.chassis.clock import day_in_korea
from gyeol.policy.command import law, pack
from support.culture import KOREAN, TODAY, copy, edit
from support.mirror import Mirror

TEXT = (
    "정보통신망법 제44조의7과 형법 제241조, 디지털존중법 제3조를 보세요. "
    "검찰청 1301이나 여성긴급전화 1366에 물어보셔도 돼요. 제3자에게 1조 원을 2인 1조로 옮긴 건 아니지요?\n"
)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Korean pack with one category and all its laws: quicker to read."""
    return copy(tmp_path_factory.mktemp("small"), "G")


def _law(pack: Path, *arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(law, [*arguments, "--pack", str(pack)], input=text)


def _pack(*arguments: str) -> Result:
    return CliRunner().invoke(pack, list(arguments))


def test_check_prints_exactly_the_promised_json_in_order_of_appearance(small: Path, tmp_path: Path) -> None:
    file = tmp_path / "answer.txt"
    file.write_text(TEXT, encoding="utf-8")
    result = _law(small, "check", str(file), "--json", "--on", TODAY)
    assert result.exit_code == 0
    report = json.loads(result.stdout)
    assert set(report) == {"citations", "institutions"}
    assert all(set(row) == {"text", "law", "article", "verdict", "reason", "suggestion"} for row in report["citations"])
    assert [(row["text"], row["verdict"]) for row in report["citations"]] == [
        ("정보통신망법 제44조의7", "Verified"),
        ("형법 제241조", "NotInForce"),
        ("디지털존중법 제3조", "NotFound"),
    ]
    assert [(row["text"], row["verdict"]) for row in report["institutions"]] == [
        ("검찰청 1301", "NotInForce"),
        ("여성긴급전화 1366", "Verified"),
    ]


@pytest.mark.parametrize(("text", "code"), [(TEXT, 1), ("형법 제307조", 0)], ids=["faulty", "sound"])
def test_check_reads_standard_input_and_fails_when_told_to_be_strict(small: Path, text: str, code: int) -> None:
    assert _law(small, "check", "-", "--on", TODAY, "--strict", text=text).exit_code == code


@pytest.mark.parametrize(("on", "verdict"), [("2026-11-30", "NotInForce"), ("2027-04-22", "Verified")])
def test_check_depends_on_the_day(small: Path, on: str, verdict: str) -> None:
    result = _law(small, "check", "-", "--json", "--on", on, text="스토킹처벌법 제17조의5에 따라 청구하세요.")
    assert json.loads(result.stdout)["citations"][0]["verdict"] == verdict


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["check", "nowhere.txt"], "there is no file nowhere.txt: name a text file, or - to read standard input"),
        (["show", "형법", "제1조", "--on", "30.11.2026"], "'30.11.2026' is no date: write YYYY-MM-DD"),
        (["show", "형법", "일조"], "article = '일조': write a number such as 제44조의7"),
    ],
)
def test_bad_input_is_one_message_with_the_remedy(small: Path, arguments: list[str], complaint: str) -> None:
    result = _law(small, *arguments)
    assert result.exit_code == 2
    assert complaint in result.stderr


def test_bytes_that_are_not_utf_8_are_refused(small: Path, tmp_path: Path) -> None:
    file = tmp_path / "answer.txt"
    file.write_bytes("형법 제307조".encode("cp949"))
    assert "is not UTF-8: save the text as UTF-8" in _law(small, "check", str(file)).stderr


def test_show_tells_heading_verdict_and_date(small: Path) -> None:
    result = _law(small, "show", "개인정보 보호법", "제24조의2", "--on", TODAY)
    assert "개인정보 보호법 제24조의2 (주민등록번호 처리의 제한)" in result.stdout
    assert f"Verified on {TODAY}" in result.stdout
    future = json.loads(_law(small, "show", "스토킹처벌법", "제17조의5", "--on", TODAY, "--json").stdout)
    assert (future["verdict"], future["in_force_from"]) == ("NotInForce", "2027-04-22")


def test_a_law_and_its_article_may_come_in_one_argument(small: Path) -> None:
    one = _law(small, "show", "개인정보 보호법 제24조의2", "--on", TODAY, "--json")
    two = _law(small, "show", "개인정보 보호법", "제24조의2", "--on", TODAY, "--json")
    assert (one.exit_code, one.stdout) == (0, two.stdout)
    both = _law(small, "show", "형법 제250조", "제251조")
    assert (both.exit_code, "write it once" in both.stderr) == (2, True)


def test_a_deleted_article_is_told_as_such_in_one_argument_too(small: Path) -> None:
    told = _law(small, "show", "형법 제241조", "--on", TODAY)
    assert told.exit_code == 0
    assert f"NotInForce on {TODAY} · 효력 없음: 삭제된 조문입니다." in told.stdout


def test_a_wrong_call_exits_2_with_the_name_and_the_remedy(small: Path, tmp_path: Path) -> None:
    missing = _law(small, "check", str(tmp_path / "none.txt"))
    assert (missing.exit_code, "none.txt: name a text file, or - to read" in missing.stderr) == (2, True)
    folder = _law(small, "check", str(tmp_path))
    assert (folder.exit_code, "is a folder" in folder.stderr) == (2, True)
    dated = _law(small, "show", "형법", "--on", "2026-02-30")
    assert (dated.exit_code, "write YYYY-MM-DD" in dated.stderr) == (2, True)


@pytest.mark.parametrize(
    ("moment", "on"), [("2026-06-05T14:59:59+00:00", "2026-06-05"), ("2026-06-05T15:00:00+00:00", "2026-06-06")]
)
def test_a_day_begins_at_midnight_in_korea_wherever_the_clock_stands(moment: str, on: str) -> None:
    assert day_in_korea(datetime.fromisoformat(moment)) == on


def test_diff_lists_the_packs_statutes_that_changed_the_newest_first(small: Path) -> None:
    changed = json.loads(_law(small, "diff", "--since", "2026-05-01", "--json").stdout)
    days = [row["promulgated"] for row in changed["laws"]]
    assert days == sorted(days, reverse=True)
    assert "공직선거법" in [row["name"] for row in changed["laws"]]
    every = json.loads(_law(small, "diff", "--since", "2026-05-01", "--json", "--all").stdout)
    assert len(every["laws"]) > len(changed["laws"])


def test_an_index_built_from_a_mirror_knows_what_was_in_force_when(tmp_path: Path) -> None:
    mirror = Mirror(tmp_path / "mirror")
    for promulgated, effective, change, articles in (
        ("2011-03-29", "2011-09-30", "제정", {"제1조": "목적", "제8조": "기능", "제17조": "제공"}),
        ("2020-02-04", "2020-08-05", "일부개정", {"제1조": "목적", "제8조": "삭제", "제17조": "제공"}),
        (
            "2026-03-10",
            "2026-09-11",
            "일부개정",
            {"제1조": "목적", "제8조": "삭제", "제17조": "제공과 위탁", "제17조의2": "고지"},
        ),
    ):
        mirror.amend(
            "개인정보보호법/법률.md",
            name="개인정보 보호법",
            law_id="011357",
            promulgated=promulgated,
            effective=effective,
            change=change,
            articles=articles,
        )
    home = tmp_path / "ko-KR"
    assert _pack("init", str(home), "--name", "ko-KR").exit_code == 0
    built = _law(home, "build", "--from", str(mirror.folder), "--all")
    assert built.exit_code == 0, built.stderr
    assert "1 laws as of 2026-03-10" in built.stdout

    def verdict(article: str, on: str) -> tuple[str, str]:
        row = json.loads(_law(home, "show", "개인정보보호법", article, "--on", on, "--json").stdout)
        return row["verdict"], row["heading"]

    assert verdict("제17조", "2010-01-01") == ("NotInForce", "")
    assert verdict("제17조", "2015-01-01") == ("Verified", "제공")
    assert verdict("제17조", "2026-11-30") == ("Verified", "제공과 위탁")
    assert verdict("제8조", "2015-01-01") == ("Verified", "기능")
    assert verdict("제8조", "2026-11-30") == ("NotInForce", "")
    assert verdict("제17조의2", "2026-09-10") == ("NotInForce", "고지")
    assert verdict("제17조의2", "2026-09-11") == ("Verified", "고지")
    assert verdict("제99조", "2026-11-30") == ("NotFound", "")

    text = _law(home, "show", "개인정보 보호법", "제17조", "--on", "2015-01-01", "--from", str(mirror.folder)).stdout
    assert "2011-09-30부터 이렇게 적혀 있다" in text
    changed = json.loads(_law(home, "diff", "--since", "2026-01-01", "--all", "--json").stdout)["laws"]
    assert [(row["article"], row["what"]) for row in changed[0]["articles"]] == [
        ("제17조", "changed"),
        ("제17조의2", "new"),
    ]


def test_diff_names_the_policies_probes_and_triplets_that_cite_what_changed(tmp_path: Path) -> None:
    chosen = [{"role": "assistant", "content": "그런 일은 전자금융거래법 제6조가 금지해요."}]
    (tmp_path / "data").mkdir()
    parquet.write_table(
        pyarrow.Table.from_pylist([{"triplet_id": "t1", "chosen": chosen}, {"triplet_id": "t2", "chosen": []}]),
        tmp_path / "data" / "train-00000.parquet",
    )
    result = _law(KOREAN, "diff", "--since", "2026-05-15", "--dataset", str(tmp_path), "--json")
    assert result.exit_code == 0, result.stderr
    laws = {row["name"]: row for row in json.loads(result.stdout)["laws"]}
    places = [(place["kind"], place["id"]) for place in laws["전자금융거래법"]["cited_by"]]
    assert ("policy", "I.illegal-services") in places
    assert [identifier for kind, identifier in places if kind == "triplet"] == ["t1"]
    assert not any(place["kind"] == "triplet" for place in laws["노인복지법"]["cited_by"])

    told = _law(KOREAN, "diff", "--since", "2026-05-15").stdout
    assert "cited by policy I.illegal-services 제6조" in told
    missing = _law(KOREAN, "diff", "--since", "2026-05-15", "--dataset", str(KOREAN))
    assert missing.exit_code == 2
    assert "it has no data/*.parquet" in missing.stderr


def test_a_mold_whose_questions_have_no_choice_of_sentences_is_a_fault(tmp_path: Path) -> None:
    folder = copy(tmp_path)
    text = (folder / "policies/G.yaml").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines(keepends=True) if "통신비밀보호법 제16조에 따라" not in line]
    lines = [line for line in lines if "대한민국헌법 제17조의 약속" not in line]
    (folder / "policies/G.yaml").write_text("".join(lines), encoding="utf-8")
    result = _pack("verify", str(folder), "--on", TODAY, "--quiet")
    assert result.exit_code == 1
    assert "types.G.personal-life.law: leaves G.personal-life.m3 1 sentences: write at least 2" in result.stderr


def test_verify_accepts_the_korean_pack_and_prints_what_it_covers() -> None:
    result = _pack("verify", str(KOREAN), "--on", TODAY)
    assert result.exit_code == 0, result.stderr
    assert "G.financial" in result.stdout
    assert "law index: 5674 laws" in result.stdout
    assert f"verified as of {TODAY}" in result.stdout


@pytest.mark.parametrize(
    ("file", "before", "after", "complaint"),
    [
        (
            "policies/G.yaml",
            'text: "',
            'text: "개인정보 보호법 제223조를 보세요. ',
            "‘개인정보 보호법 제223조’ is NotFound",
        ),
        ("policies/G.yaml", 'text: "', 'text: "검찰청에 물어보세요. ', "‘검찰청’ is NotInForce"),
        (
            "policies/G.yaml",
            'text: "',
            'text: "사람을 다치게 하면 형법 제257조에 따라 8년 이하 징역까지 받을 수 있어요. ',
            "says 8년이하; the penalty of the cited article is: 상해 7년 이하 징역",
        ),
        (
            "policies/G.yaml",
            'text: "',
            'text: "개인정보 보호법 제1조를 어기면 3년 이하 징역이나 3천만 원 이하 벌금을 받아요. ',
            "cites no article with a penalty_ko: add that to statutes.yaml, or leave it out",
        ),
        (
            "policies/G.yaml",
            'text: "',
            'text: "형사소송법 제230조에 따라 9개월 안에 고소하세요. ',
            "gives 9개월, which is in the note_ko of no article that it cites",
        ),
        ("pack.yaml", "review_by: 2027-02-28", "review_by: 2026-10-01", "review_by: was due on 2026-10-01"),
        ("institutions.yaml", "review_by: '2027-05-29'", "review_by: '2026-05-29'", "check name and number"),
        ("names.yaml", "law: 민사소송법}", "law: 민사소송에 관한 법}", "no law is called 민사소송에 관한 법"),
        ("statutes.yaml", "law_id: '001692'", "law_id: '001706'", "law 001706 is called 민법"),
    ],
)
def test_verify_fails_with_file_line_and_remedy(
    tmp_path: Path, file: str, before: str, after: str, complaint: str
) -> None:
    folder = copy(tmp_path, "G")
    edit(folder, "pack.yaml", "skeleton: false", "skeleton: true")  # one category is not complete
    edit(folder, file, before, after)
    result = _pack("verify", str(folder), "--on", TODAY, "--quiet")
    assert result.exit_code == 1
    assert complaint in result.stderr
    assert re.search(rf"{file}:\d+:", result.stderr)


def test_an_incomplete_pack_is_a_fault_unless_it_calls_itself_a_skeleton(tmp_path: Path) -> None:
    folder = copy(tmp_path, "G")
    assert "molds/A.yaml" in _pack("verify", str(folder), "--on", TODAY, "--quiet").stderr
    edit(folder, "pack.yaml", "skeleton: false", "skeleton: true")
    result = _pack("verify", str(folder), "--on", TODAY, "--quiet")
    assert result.exit_code == 0, result.stderr
    assert "note:" in result.stdout


def test_a_new_pack_verifies_at_once(tmp_path: Path) -> None:
    assert _pack("init", str(tmp_path / "vi-VN"), "--name", "vi-VN").exit_code == 0
    result = _pack("verify", str(tmp_path / "vi-VN"))
    assert result.exit_code == 0, result.stderr
    again = _pack("init", str(tmp_path / "vi-VN"), "--name", "vi-VN")
    assert "is not empty: name a new folder" in again.stderr
    assert "write a language and a region" in _pack("init", str(tmp_path / "x"), "--name", "Vietnam").stderr


def test_diff_names_what_changed_item_by_item(tmp_path: Path) -> None:
    folder = copy(tmp_path, "G")
    before = copy(tmp_path / "before", "G")
    edit(folder, "molds/G.yaml", 'text: "', 'text: "저기, ')
    edit(folder, "policies/G.yaml", "version: ", "version: 1")
    edit(folder, "terms.yaml", "id: burner-account", "id: lent-account")
    result = _pack("diff", str(before), str(folder))
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "~ molds/G.yaml: molds.G.biometric.m1 (text)",
        "~ policies/G.yaml: version",
        "- terms.yaml: terms.burner-account",
        "+ terms.yaml: terms.lent-account",
        "1 added, 1 removed, 2 changed",
    ]
    assert _pack("diff", str(folder), str(folder)).exit_code == 0


def _keys(folder: Path) -> tuple[Path, Path]:
    private = Ed25519PrivateKey.generate()
    folder.mkdir()
    (folder / "key.pem").write_bytes(private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    (folder / "key.pub").write_bytes(private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    return folder / "key.pem", folder / "key.pub"


def test_a_built_pack_has_one_digest_and_proves_who_signed_it(tmp_path: Path) -> None:
    first = _pack("build", str(KOREAN), "--output", str(tmp_path / "one"))
    second = _pack("build", str(KOREAN), "--output", str(tmp_path / "two"))
    assert first.exit_code == 0, first.stderr
    assert first.stdout == second.stdout
    private, public = _keys(tmp_path / "keys")
    _, stranger = _keys(tmp_path / "others")
    image = str(tmp_path / "one")
    assert "no signature by key" in _pack("verify", image, "--key", str(public)).stderr
    assert _pack("sign", image, "--key", str(private)).exit_code == 0
    assert _pack("sign", image, "--key", str(private)).exit_code == 0
    verified = _pack("verify", image, "--key", str(public), "--on", TODAY, "--quiet")
    assert verified.exit_code == 0, verified.stderr
    assert "signed with key" in verified.stdout
    assert "do not use this image" in _pack("verify", image, "--key", str(stranger)).stderr
    assert "is no Ed25519 private key" in _pack("sign", image, "--key", str(public)).stderr


def test_a_damaged_image_is_refused(tmp_path: Path) -> None:
    image = tmp_path / "image"
    _pack("build", str(KOREAN), "--output", str(image))
    largest = max((image / "blobs" / "sha256").iterdir(), key=lambda blob: blob.stat().st_size)
    content = bytearray(largest.read_bytes())
    content[0] ^= 1
    largest.write_bytes(content)
    assert "is damaged" in _pack("verify", str(image)).stderr


def test_a_faulty_pack_is_not_built(tmp_path: Path) -> None:
    folder = copy(tmp_path, "G")
    edit(folder, "pack.yaml", "skeleton: false", "skeleton: true")
    edit(folder, "pack.yaml", "review_by: 2027-02-28", "review_by: 2026-10-01")
    result = _pack("build", str(folder), "--output", str(tmp_path / "image"))
    assert result.exit_code == 1
    assert not (tmp_path / "image").exists()


def test_the_commands_are_offered_to_the_gyeol_program() -> None:
    offered = entry_points(group="gyeol.commands")
    assert offered["pack"].load() is pack
    assert offered["law"].load() is law


def test_commands_start_without_loading_the_services() -> None:
    heavy = ("grpc", "nats", "jsonschema", "rapidfuzz", "yaml")
    program = f"import sys, gyeol.policy.command; print([m for m in {heavy} if m in sys.modules])"
    started = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert started.stdout == "[]\n"
