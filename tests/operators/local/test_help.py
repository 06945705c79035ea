"""What a person reads who asks a command how it is used."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
import pytest
import typer
from typer.testing import CliRunner

from gyeol.local.__main__ import app

HANGUL = re.compile(r"[가-힣]")
TYPERS_OWN = {"--help", "--install-completion", "--show-completion"}


def commands(path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command below `gyeol`, with the words that call it."""
    found: click.Command = typer.main.get_command(app)
    for word in path:
        assert isinstance(found, click.Group)
        found = found.get_command(click.Context(found), word)  # type: ignore[assignment]
    yield path, found
    if isinstance(found, click.Group):
        for word in found.list_commands(click.Context(found)):
            yield from commands((*path, word))


EVERY = [pytest.param(found, id=" ".join(path) or "gyeol") for path, found in commands()]


@pytest.mark.parametrize("found", EVERY)
def test_every_help_text_is_in_english_and_korean(found: click.Command) -> None:
    texts = {"the command": found.help or ""}
    for one in found.params:
        texts[one.opts[0]] = getattr(one, "help", None) or ""
    lacking = {
        name
        for name, text in texts.items()
        if name not in TYPERS_OWN and not (" · " in text and HANGUL.search(text.rpartition(" · ")[2]))
    }
    assert not lacking


def test_completion_is_set_up_once_at_the_root() -> None:
    offering = [path for path, found in commands() if any("--install-completion" in one.opts for one in found.params)]
    assert offering == [()]


@pytest.mark.parametrize("group", ["pack", "law", "eval", "gate", "promote", "dataset"])
def test_the_commands_of_others_look_like_our_own(group: str) -> None:
    shown = CliRunner().invoke(app, [group, "--help"]).stdout
    assert "Usage: gyeol " in shown or "Usage: root " in shown
    assert "╭" not in shown
