"""KoED (doi 10.18653/v1/2025.ijcnlp-long.44): Korean empathetic dialogues with two emotions each.

`emotion` is a list or a bare word, at times capitalised, blank or absent; `utter` and `user_id` may be missing.
`part: emotion` asks for the speaker's emotion, `part: turn` for the listener's next turn given the emotions.
"""

from __future__ import annotations

import unicodedata
from typing import Any

from gyeol.chassis.chat import Message
from gyeol.evaluate.data.file import all_rows
from gyeol.evaluate.data.place import Place
from gyeol.evaluate.data.row import Row
from gyeol.evaluate.item import Item
from gyeol.evaluate.suite import FileSource

EMOTIONS = (
    "afraid", "angry", "annoyed", "anticipating", "anxious", "apprehensive", "ashamed", "caring", "confident", "content",
    "devastated", "disappointed", "disgusted", "embarrassed", "excited", "faithful", "furious", "grateful", "guilty",
    "hopeful", "impressed", "jealous", "joyful", "lonely", "nostalgic", "prepared", "proud", "sad", "sentimental",
    "surprised", "terrified", "trusting", "jeong", "han",
)  # fmt: skip
"""The 32 of EmpatheticDialogues, and the Korean jeong (정) and han (한)."""
_REQUIRED = ("conv_id", "ko_situation", "dialogue")
_OPTIONAL = ("situation", "emotion")


def items(place: Place, source: FileSource) -> list[Item]:
    """One item per dialogue; of a folder, the whole set and not the samples drawn from it."""
    return [_item(row.only(_REQUIRED, _OPTIONAL), source) for row in all_rows(place.called("koed", "koed_full_1360"))]


def emotions(row: Row) -> list[str]:
    """One or two emotions in lower case; none when the row names none."""
    value: Any = row.content.get("emotion")
    if value is None or value == [] or (isinstance(value, str) and not value.strip()):
        return []
    named = [value] if isinstance(value, str) else value
    if not isinstance(named, list) or len(named) > 2 or not all(isinstance(one, str) for one in named):
        row.wrong("emotion", "an emotion or a list of two")
    found = [one.strip().casefold() for one in named]
    for one in found:
        if one not in EMOTIONS:
            row.wrong("emotion", f"emotions out of {', '.join(EMOTIONS)}")
    return list(dict.fromkeys(found))


def turns(row: Row) -> list[str]:
    """Turns in order, speaker first; ends with the speaker, so that the listener's turn is next."""
    listed: Any = row.content["dialogue"]
    if not isinstance(listed, list) or not listed:
        row.wrong("dialogue", "a list of turns")
    said = []
    for turn in listed:
        text = turn.get("ko_utter") if isinstance(turn, dict) else None
        if not isinstance(text, str) or not text.strip():
            row.wrong("dialogue", "turns with a ko_utter")
        said.append(unicodedata.normalize("NFC", text).strip())
    return said[:-1] if len(said) % 2 == 0 else said


def _item(row: Row, source: FileSource) -> Item:
    felt, said = emotions(row), turns(row)
    dialogue = "\n".join(f"{'화자' if number % 2 == 0 else '청자'}: {text}" for number, text in enumerate(said))
    fields = {
        "situation": row.text("ko_situation"),
        "dialogue": dialogue,
        "emotions": ", ".join(felt),
        "labels": ", ".join(EMOTIONS),
    }
    text = source.prompts[0].format_map(fields)
    return Item(
        row.text("conv_id"),
        (Message("user", text),),
        felt[0] if felt else "unlabelled",
        row.text("conv_id"),
        {"emotions": felt, "labels": list(EMOTIONS), "context": dialogue, "most": int(source.options.get("most", "1"))},
        {"emotion": felt[0] if felt else "unlabelled"},
    )
