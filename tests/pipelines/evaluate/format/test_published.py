"""Data sets as they are published: in the folders and formats in which people get them, with everything that lies beside."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gyeol.evaluate.data.place import Place
from gyeol.evaluate.dialogue import split_dialogues
from gyeol.evaluate.error import SuiteError
from gyeol.evaluate.format.koculture import lexicon
from gyeol.evaluate.format.loader import rows_read
from gyeol.evaluate.inspection import counts
from gyeol.evaluate.item import set_digest
from gyeol.evaluate.suite import FileSource
from support import benchmark
from support.benchmark import Row, as_json, as_lines, as_table, loaded


def as_parquet(path: Path, rows: Sequence[Row]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(list(rows)), path)
    return path


def square(count: int) -> list[Row]:
    return [
        {"question": f"{place}은 몇 시에 여나요?", "question_en": "-", "sensitive?": 0, "category": None}
        for place in benchmark.PLACES[:count]
    ]


def test_of_kobbq_only_the_test_samples_are_asked_whether_from_its_repository_or_from_the_hub(tmp_path: Path) -> None:
    rows = benchmark.kobbq_rows(1)
    as_table(tmp_path / "git" / "data" / "KoBBQ_test_samples.tsv", rows, "\t")
    as_table(tmp_path / "git" / "data" / "KoBBQ_templates.tsv", [{"id": "1", "template": "-"}], "\t")
    as_table(tmp_path / "git" / "evaluation" / "0_evaluation_prompts.tsv", [{"prompt_id": "1"}], "\t")
    as_parquet(tmp_path / "hub" / "data" / "kobbq-evaluation-test.parquet", rows)
    as_parquet(tmp_path / "hub" / "data" / "kobbq-all-test.parquet", rows + benchmark.kobbq_rows(2))
    found = [loaded("kobbq", tmp_path / folder) for folder in ("git", "hub")]
    assert [len(items) for items in found] == [5 * len(rows)] * 2
    assert set_digest(found[0]) == set_digest(found[1])


def test_of_kornat_the_korean_rows_are_read_and_those_without_an_answer_are_told_and_not_asked(tmp_path: Path) -> None:
    shard = "test-00000-of-00001.parquet"
    rows = [benchmark.knowledge_row(n) for n in range(5)] + [benchmark.knowledge_row(5) | {"Answer": None}]
    as_parquet(tmp_path / "Common Knowledge (Kor)" / shard, rows)
    as_parquet(tmp_path / "Common Knowledge (Eng)" / shard, rows[:2])
    as_parquet(tmp_path / "Social Values (Kor)" / shard, [benchmark.social_row(n, "B") for n in range(3)])
    as_parquet(tmp_path / "Social Values (Eng)" / shard, [benchmark.social_row(n, "B") for n in range(2)])
    items = loaded("kornat-knowledge", tmp_path)
    assert (len(items), len(loaded("kornat-social", tmp_path))) == (5, 3)
    suite = benchmark.read_from("kornat-knowledge", tmp_path)
    assert isinstance(suite.source, FileSource)
    told = {one.what: one.found for one in counts(suite, items, rows_read(suite.source, items))}
    assert (told["rows"], told["rows read and not asked"], told["items"]) == (6, 1, 5)


def test_koculture_is_asked_from_its_repository(tmp_path: Path) -> None:
    folder = tmp_path / "src" / "eval"
    sample = [
        {"title": f"새말{n}", "content": f"새말{n}의 뜻", "question": ["뭐 해?"], "answer": ["새말 중이야"]}
        for n in range(3)
    ]
    as_lines(folder / "meme_sample_with_questions.jsonl", sample)
    as_json(
        folder / "understand_questions.json",
        [{"title": f"새말{n}", "question": f"오늘 새말{n} 했어?"} for n in range(3)],
    )
    (folder / "usage_questions.json").write_text(
        json.dumps({"questions": ["주말에 뭐 했어?", "요즘 어때?"]}), encoding="utf-8"
    )
    for part in ("usage", "understand"):
        as_json(
            folder / "results" / part / "infer_results" / f"m_{part}_inference_results.json",
            [{"question": "-", "answer": "-"}],
        )
    used, understood = loaded("koculture-usage", tmp_path), loaded("koculture-understanding", tmp_path)
    assert (len(used), used[0].expected["terms"]) == (2, ["새말0", "새말1", "새말2"])
    assert [item.expected["meaning"] for item in understood] == ["새말0의 뜻", "새말1의 뜻", "새말2의 뜻"]
    described = [
        {"title": "새말0", "content": "-", "category": "meme"},
        {"title": "가을", "content": "-", "category": "trend"},
    ]
    as_json(tmp_path / "KoCultre-Descriptions.json", described)
    assert loaded("koculture-usage", tmp_path)[0].expected["terms"] == ["새말0"], "a trend is no term whose use counts"
    with pytest.raises(
        SuiteError, match="row 2: meaning: expected a meaning of '새말1' here, or in a file of descriptions"
    ):
        loaded("koculture-understanding", tmp_path)


def test_of_the_korean_safety_benchmarks_neither_other_splits_nor_raw_annotations_are_asked(tmp_path: Path) -> None:
    data = tmp_path / "data"
    as_json(data / "SQuARe" / "question_test.json", square(3))
    as_json(data / "SQuARe" / "question_test_ood.json", square(5))
    as_json(data / "SQuARe" / "with_raw_annotations" / "question_test_ood_annotations.json", [{"annotations": []}])
    as_json(data / "KoSBi" / "kosbi_test.json", [benchmark.kosbi_row(n, "safe") for n in range(4)])
    as_json(data / "KoSBi" / "kosbi_v2_test.json", [benchmark.kosbi_row(n, "safe") for n in range(6)])
    assert len(loaded("square-benign", tmp_path)) == 3
    assert len(loaded("kosbi", tmp_path)) == 4


def test_the_second_question_of_logickor_that_is_there_in_two_wordings_is_asked_in_the_first(tmp_path: Path) -> None:
    row = benchmark.two_turn_row(3, "logickor")
    as_lines(tmp_path / "questions.jsonl", [row | {"questions": [*row["questions"], "더 짧게, 줄여 주세요."]}])
    as_lines(tmp_path / "evaluated" / "some" / "model" / "default.jsonl", [{"id": 3, "outputs": ["-", "-"]}])
    [item] = loaded("logickor", tmp_path)
    assert (item.messages[0].content, item.follow_up) == tuple(row["questions"])


def test_ko_mt_bench_is_asked_once_though_the_hub_holds_it_twice(tmp_path: Path) -> None:
    rows = [benchmark.two_turn_row(n) | {"reference": None} for n in range(81, 84)]
    as_lines(tmp_path / "raw" / "question_ko.jsonl", rows)
    as_parquet(tmp_path / "data" / "train-00000-of-00001.parquet", rows)
    assert [item.id for item in loaded("ko-mt-bench", tmp_path)] == ["81", "82", "83"]
    assert [item.id for item in loaded("ko-mt-bench", tmp_path / "data")] == ["81", "82", "83"]


@pytest.mark.parametrize("whole", ["KoED.json", "KoED_full_1360.json"])
def test_of_koed_the_whole_set_is_asked_and_not_the_sample_beside_it(tmp_path: Path, whole: str) -> None:
    rows = [benchmark.koed_row(n) for n in range(4)]
    as_json(tmp_path / "data" / whole, rows)
    as_json(tmp_path / "data" / "KoED_sample_100.json", rows[:2])
    as_json(tmp_path / "output" / "results_model_Korean.json", [{"response": "-"}])
    assert len(loaded("koed-turn", tmp_path)) == 4


def test_a_data_set_of_the_hub_is_called_by_its_address_where_its_files_are_only_called_train(tmp_path: Path) -> None:
    shard = "train-00000-of-00001.parquet"
    dialogues = [{"title": f"새말{n % 4}", "question": "뭐 해?", "answer": f"새말{n % 4} 중이야"} for n in range(8)]
    as_parquet(tmp_path / "dialogues" / "data" / shard, dialogues)
    described = [{"title": "새말0", "content": "-", "date": "2020년 5월", "category": "-", "source": "-"}]
    as_parquet(tmp_path / "described" / "data" / shard, described)
    terms = lexicon(Place("hf:huggingface-KREW/KoCulture-Descriptions", tmp_path / "described"))
    made = split_dialogues(
        Place("hf:huggingface-KREW/KoCulture-Dialogues@main", tmp_path / "dialogues"), 0.25, 7, terms
    )
    assert (len(made.train), len(made.held_out)) == (6, 2)
    with pytest.raises(SuiteError, match="file whose name holds dialogue or merged_final"):
        split_dialogues(Place("hf:somebody/other", tmp_path / "dialogues"), 0.25, 7)


def test_files_that_describe_data_and_hidden_ones_are_not_read(tmp_path: Path) -> None:
    as_parquet(tmp_path / "test-00000-of-00001.parquet", [benchmark.click_row(1)])
    as_json(tmp_path / "dataset_infos.json", [{"description": "-"}])
    as_json(tmp_path / ".cache" / "click.json", [benchmark.click_row(2)])
    assert len(loaded("click", tmp_path)) == 1


def test_a_copy_of_xstest_without_ids_is_read(tmp_path: Path) -> None:
    rows = [
        {"prompt": f"{n}번 프로세스를 죽이려면?", "focus": "-", "type": "homonyms", "note": None, "label": "safe"}
        for n in (1, 2)
    ]
    items = loaded("xstest", as_parquet(tmp_path / "train-00000-of-00001.parquet", rows))
    assert [item.id for item in items] == ["xstest-0001", "xstest-0002"]


def test_of_the_second_edition_of_xstest_the_contrasts_are_not_asked(tmp_path: Path) -> None:
    kinds = ("homonyms", "contrast_homonyms", "safe_targets")
    rows = [
        {"id_v1": "", "id_v2": f"v2-{n}", "type": kind, "prompt": f"{n}번 물음은?", "focus": "-", "note": ""}
        for n, kind in enumerate(kinds, 1)
    ]
    path = as_table(tmp_path / "xstest_v2_prompts.csv", rows)
    assert [item.id for item in loaded("xstest", path)] == ["v2-1", "v2-3"]


@pytest.mark.parametrize("suite", ["click", "kornat-knowledge", "kornat-social", "k-culture-open", "xstest", "korset"])
def test_the_same_rows_are_the_same_items_in_every_format(tmp_path: Path, suite: str) -> None:
    rows: list[Row] = {
        "click": [benchmark.click_row(n, 4 + n % 2) for n in range(6)],
        "kornat-knowledge": [benchmark.knowledge_row(n) for n in range(6)],
        "kornat-social": [benchmark.social_row(n, [0.1, 0.2, 0.3, 0.2, 0.2]) for n in range(6)],
        "k-culture-open": [benchmark.kculture_row(n) for n in range(1, 7)],
        "xstest": [{"id": n, "prompt": f"{n}번?", "type": "homonyms", "focus": "-", "note": ""} for n in range(6)],
        "korset": [benchmark.korset_row(n, "ABCDEF"[n]) for n in range(6)],
    }[suite]
    flat = [
        {name: value if isinstance(value, str | int) else json.dumps(value) for name, value in row.items()}
        for row in rows
    ]
    digests = {
        set_digest(loaded(suite, path))
        for path in (
            as_json(tmp_path / "rows.json", rows),
            as_lines(tmp_path / "rows.jsonl", rows),
            as_parquet(tmp_path / "rows.parquet", rows),
            as_table(tmp_path / "rows.csv", flat),
            as_table(tmp_path / "rows.tsv", flat, "\t"),
            from_spreadsheet(tmp_path / "sheet.csv", flat),
        )
    }
    assert len(digests) == 1


def from_spreadsheet(path: Path, rows: Sequence[Row]) -> Path:
    """With a byte order mark, an index column without a name, quotes everywhere and lines that end as on Windows."""
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, lineterminator="\r\n", quoting=csv.QUOTE_ALL)
        writer.writerow(["", *rows[0]])
        writer.writerows([number, *row.values()] for number, row in enumerate(rows))
    return path


def test_nulls_that_fill_a_list_of_options_up_are_left_out_and_a_gap_is_refused_with_its_row(tmp_path: Path) -> None:
    row = benchmark.click_row(2)
    padded = row | {"choices": [*row["choices"], None]}
    [item] = loaded("click", as_parquet(tmp_path / "padded.parquet", [padded]))
    assert len(item.expected["choices"]) == 4
    first, *others = row["choices"]
    gap = row | {"choices": [first, float("nan"), *others]}
    with pytest.raises(SuiteError, match="row 2: choices: expected a list of texts"):
        loaded("click", as_json(tmp_path / "gap.json", [row, gap]))


def test_a_question_of_common_knowledge_may_have_three_options_but_none_missing_between(tmp_path: Path) -> None:
    three = benchmark.knowledge_row(1) | {"D": float("nan")}
    [item] = loaded("kornat-knowledge", as_json(tmp_path / "three.json", [three]))
    assert (len(item.expected["choices"]), item.expected["answer"]) == (3, 1)
    with pytest.raises(SuiteError, match="row 1: B: expected text"):
        loaded("kornat-knowledge", as_json(tmp_path / "gap.json", [benchmark.knowledge_row(1) | {"B": None}]))


def test_numbers_that_a_table_with_gaps_made_fractions_stay_whole(tmp_path: Path) -> None:
    path = as_json(tmp_path / "k.json", [benchmark.kculture_row(3) | {"DescriptionID": 3.0, "Type": 2.0}])
    [item] = loaded("k-culture-closed", path)
    assert (item.id, item.groups["type"]) == ("3", "within Korean culture")


@pytest.mark.parametrize(
    ("date", "day"),
    [
        ("2025-03-02", "2025-03-02"), ("2025. 3. 2.", "2025-03-02"), ("2025년 3월 2일", "2025-03-02"), ("20250302", "2025-03-02"),
        ("2025-03-02T10:00:00", "2025-03-02"), ("2025년 3월", "2025-03-01"), ("2025.03", "2025-03-01"), (2025, "2025-01-01"),
        ("2020년대 초", "2020-01-01"), ("미상", "None"), (None, "None"),
    ],
)  # fmt: skip
def test_days_of_terms_are_read_as_people_write_them(tmp_path: Path, date: Any, day: str) -> None:
    rows = [{"title": "새말", "content": "뜻", "date": date, "category": "-", "source": "-"}]
    path = as_json(tmp_path / "descriptions.json", rows)
    assert [str(term.seen_on) for term in lexicon(Place(str(path), path))] == [day]


def test_a_day_that_cannot_be_read_stops_what_needs_it_and_not_the_usage_questions(tmp_path: Path) -> None:
    folder = benchmark.koculture(tmp_path)
    rows = json.loads((folder / "KoCulture-Descriptions.json").read_text())
    as_json(folder / "KoCulture-Descriptions.json", [row | {"date": "작년쯤"} for row in rows])
    assert len(loaded("koculture-usage", folder)) == 4
    with pytest.raises(SuiteError, match=r"row 1: date: expected a date such as .*'작년쯤'"):
        lexicon(Place(str(folder), folder))


@pytest.mark.parametrize(("suite", "name"), [("click", "a.json"), ("click", "a.parquet"), ("ksafe-mm", "a.parquet")])
def test_a_pointer_of_git_lfs_is_told_from_the_file_it_stands_for(tmp_path: Path, suite: str, name: str) -> None:
    (tmp_path / name).write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n")
    with pytest.raises(SuiteError, match="only a pointer of git-lfs; fetch the file itself: git lfs pull"):
        loaded(suite, tmp_path / name)


def test_a_header_that_names_a_column_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "k.csv"
    path.write_text("seed,category,seed\n가,A,나\n", encoding="utf-8")
    with pytest.raises(SuiteError, match="the header names 'seed' twice"):
        loaded("korset", path)
