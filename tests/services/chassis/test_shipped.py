"""Data of another distribution is found where it is installed, and in an image beside the program."""

from __future__ import annotations

from pathlib import Path

from gyeol.chassis.shipped import files


def test_files_of_an_installed_package_are_found_by_name() -> None:
    assert files("gyeol.gate", "policies")["ko-default"].is_file()


def test_where_the_package_is_not_installed_files_lie_beside_the_program(tmp_path: Path) -> None:
    assert files("gyeol.absent", "policies", tmp_path) == {}
    folder = tmp_path / "share" / "gyeol" / "policies"
    folder.mkdir(parents=True)
    (folder / "strict.yaml").touch()
    (folder / "README.md").touch()
    assert files("gyeol.absent", "policies", tmp_path) == {"strict": folder / "strict.yaml"}
