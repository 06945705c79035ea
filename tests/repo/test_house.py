"""The repository keeps its own rules."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MEMBERS = sorted(path.parent for path in ROOT.glob("*/*/pyproject.toml") if not path.parent.name.startswith("."))
DEPLOYABLES = [member for member in MEMBERS if member.name not in ("chassis", "reconcile")]
SERVICES = [member for member in DEPLOYABLES if member.parent.name == "services"]


def tracked(*patterns: str) -> list[Path]:
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def sources() -> list[Path]:
    return [path for member in MEMBERS for path in (member / "src").rglob("*.py")]


@pytest.mark.parametrize("member", MEMBERS, ids=lambda path: path.name)
def test_one_word_names_folder_distribution_and_package(member: Path) -> None:
    project = tomllib.loads((member / "pyproject.toml").read_text())["project"]
    assert project["name"] == f"gyeol-{member.name}"
    assert [path.name for path in (member / "src" / "gyeol").iterdir() if path.name != "__pycache__"] == [member.name]


@pytest.mark.parametrize("service", SERVICES, ids=lambda path: path.name)
def test_a_service_reads_settings_that_begin_with_its_own_name(service: Path) -> None:
    settings = importlib.import_module(f"gyeol.{service.name}.settings").Settings
    assert settings.model_config["env_prefix"] == f"{service.name.upper()}_"


@pytest.mark.parametrize("deployable", DEPLOYABLES, ids=lambda path: path.name)
def test_every_deployable_can_be_run_as_a_module(deployable: Path) -> None:
    assert (deployable / "src" / "gyeol" / deployable.name / "__main__.py").is_file()


def test_the_namespace_belongs_to_nobody() -> None:
    assert not [path for path in ROOT.glob("*/*/src/gyeol/__init__.py") if path.exists()]


def test_no_module_is_a_drawer() -> None:
    forbidden = {"utils", "util", "helpers", "helper", "common", "misc", "base", "core"}
    assert [path for path in sources() if path.stem in forbidden or path.parent.name in forbidden] == []


def test_no_class_is_named_for_nothing() -> None:
    named = [
        f"{path.relative_to(ROOT)}: {node.name}"
        for path in sources()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and node.name.endswith(("Manager", "Helper", "Impl", "Utils"))
    ]
    assert named == []


def test_every_module_says_what_it_is_for() -> None:
    silent = [path for path in sources() if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))]
    assert [str(path.relative_to(ROOT)) for path in silent] == []


def test_what_the_chassis_offers_has_at_least_two_users() -> None:
    chassis = ROOT / "services" / "chassis" / "src" / "gyeol" / "chassis"
    parts = {path.stem for path in chassis.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    users: dict[str, set[str]] = {part: set() for part in parts}
    for path in sources():
        inner = chassis in path.parents
        text = path.read_text(encoding="utf-8")
        for part in users:
            if re.search(rf"gyeol\.chassis\.{part}\b|from gyeol\.chassis import [^\n]*\b{part}\b", text):
                users[part].add("the chassis itself" if inner else path.relative_to(ROOT).parts[1])
    # What the chassis alone uses is an inner part of what it offers; what one deployable alone uses belongs to that one.
    assert {part: found for part, found in users.items() if len(found) == 1 and found != {"the chassis itself"}} == {}


def test_every_subject_is_published_under_one_message() -> None:
    from gyeol.api.event.v1 import subject_pb2

    subjects: dict[str, list[str]] = {}
    for path in sorted((ROOT / "protos" / "gyeol").rglob("*.proto")):
        module = ".".join(path.relative_to(ROOT / "protos").with_suffix("").parts) + "_pb2"
        for name, message in importlib.import_module(module).DESCRIPTOR.message_types_by_name.items():
            if subject := message.GetOptions().Extensions[subject_pb2.subject]:
                subjects.setdefault(subject, []).append(name)
    assert {subject: names for subject, names in subjects.items() if len(names) > 1} == {}
    assert {"seed.requested", "seed.generated", "policy.rendered", "candidate.written", "triplet.accepted"} <= set(
        subjects
    )


def test_no_tracked_file_names_a_machine_or_a_registry() -> None:
    places = re.compile(
        r"(?<![\w.])/(?:work|home/\w+|root|opt/wheels)/|pypi\.org|pythonhosted|registry\.npmjs|files\.python"
    )
    this = Path(__file__)
    found = []
    for path in tracked():
        if path == this or path.suffix in {".png", ".parquet", ".gz", ".zst"}:
            continue
        text = path.read_text(encoding="utf-8", errors="ignore")
        found += [f"{path.relative_to(ROOT)}: {match.group()}" for match in places.finditer(text)]
    assert found == []


def test_every_path_that_the_readme_names_exists() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    named = re.findall(
        r"`((?:services|protos|charts|operators|pipelines|tests|cultures|examples|docs)/[\w./{},*<>-]*)`", readme
    )
    plain = [name for name in named if not re.search(r"[{}*<>]", name)]
    assert [name for name in plain if not (ROOT / name).exists()] == []


def test_every_make_target_that_the_readme_names_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"`?make ([a-z-]+)`?", (ROOT / "README.md").read_text(encoding="utf-8")))
    assert named - targets == set()


def test_the_lock_names_no_host_and_every_line_is_pinned() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    assert [line for line in lines if "://" in line or "==" not in line] == []
