"""Texts that the guards are trained on beside their corpora: everyday messages, conversations, public attacks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bench.everyday.labels import read_voices
from bench.guard_corpora import GuardExample, read_ordinary_texts
from foundation.language import split_sentences

EVERYDAY_TRAINED: Final = 9_000
EVERYDAY_MEASURED: Final = 3_000
"""Of everyday messages, and as many plain sentences."""
EVERYDAY_IN_CONTEXT: Final = 3_000
MEMORYBANK_PEOPLE: Final = 6
MEMORYBANK_TRAINED: Final = 4
INDIRECT: Final = "bipia: "
"""Families of ``injection_dev.jsonl`` that are attacks only within the document where they stand."""


@dataclass(frozen=True)
class Everyday:
    """Everyday messages, in which there is nothing to find: some are trained on, other voices' measure.

    ``look_alikes`` sound like what is to be found. All of them are trained on, in context, too; they set no threshold,
    as they are far more frequent here than in anybody's day.
    """

    trained: list[GuardExample]
    measured: list[GuardExample]
    look_alikes: list[GuardExample]

    @property
    def is_plain(self) -> NDArray[np.bool_]:
        """Which of those that measure are plain sentences of conversations."""
        return np.array([example.family == "plain" for example in self.measured], dtype=bool)

    @property
    def in_context(self) -> list[GuardExample]:
        """Those of the trained ones that networks are trained on."""
        return [*hashed_sample(self.trained, EVERYDAY_IN_CONTEXT), *self.look_alikes]


def read_everyday(conversations: Path | None) -> Everyday:
    """The open everyday voices, every fourth of them kept to measure, sentences of conversations, of both sides, and
    ordinary texts.
    """
    messages = [GuardExample(message.text, False, "everyday", message.voice) for message in read_voices("open")]
    voices = sorted({message.voice for message in messages})
    kept = set(voices[::4])
    trained = [message for message in messages if message.voice not in kept]
    said = plain_sentences(conversations) if conversations else Everyday([], [], [])
    return Everyday(
        hashed_sample(trained, EVERYDAY_TRAINED) + hashed_sample(said.trained, EVERYDAY_TRAINED),
        hashed_sample([message for message in messages if message.voice in kept], EVERYDAY_MEASURED)
        + hashed_sample(said.measured, EVERYDAY_MEASURED),
        read_ordinary_texts(),
    )


def plain_sentences(folder: Path) -> Everyday:
    """The sentences of MemoryBank's first six people of either language, of whom the last two measure, and of EverOS.
    Only these may be trained on; nothing in them asks to act or gives orders.
    """
    trained: list[GuardExample] = []
    measured: list[GuardExample] = []
    for language in ("zh", "en"):
        for number, person in enumerate(_people(folder, language).values()):
            told = [text for day in person["history"].values() for turn in day for text in _texts(turn)]
            (measured if number >= MEMORYBANK_TRAINED else trained).extend(_plain(told, f"{language}_memorybank"))
    for language in ("zh", "en"):
        for scene in ("solo", "team"):
            chat = json.loads((folder / f"everos_{scene}_chat_{language}.json").read_text(encoding="utf-8"))
            trained.extend(_plain(_texts(chat), f"{language}_everos"))
    return Everyday(trained, measured, [])


def unnamed_sentences(folder: Path) -> list[str]:
    """Those of the plain sentences that name none of the people."""
    named = [name.strip() for language in ("zh", "en") for name in _people(folder, language)]
    plain = plain_sentences(folder)
    texts = [example.text for example in (*plain.trained, *plain.measured)]
    return [text for text in texts if not any(name in text for name in named)]


def _people(folder: Path, language: str) -> dict[str, Any]:
    """MemoryBank's people that may be trained on, by name."""
    file = folder / f"memorybank_{'cn' if language == 'zh' else language}_dev.json"
    people: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return dict(list(people.items())[:MEMORYBANK_PEOPLE])


def _texts(value: Any) -> list[str]:
    """The longer strings at any depth."""
    if isinstance(value, str):
        return [value] if " " in value or not value.isascii() else []
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for child in children for text in _texts(child)]


def _plain(texts: Iterable[str], voice: str) -> list[GuardExample]:
    sentences = dict.fromkeys(sentence for text in texts for sentence in split_sentences(text))
    return [GuardExample(sentence, False, "plain", voice) for sentence in sentences]


def hashed_sample(examples: Sequence[GuardExample], most: int) -> list[GuardExample]:
    """So many of the examples, the same ones when others are added."""
    chosen = sorted(range(len(examples)), key=lambda i: sha256(examples[i].text.encode()).digest())[:most]
    return [examples[i] for i in sorted(chosen)]


def read_injections(file: Path) -> list[GuardExample]:
    """The public direct attacks in either language; one voice a family."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    languages = {"English": "en", "Chinese": "zh"}
    return [
        GuardExample(row["text"], True, row["family"], f"{languages[row['language']]}_{row['family']}")
        for row in rows
        if row["language"] in languages and not row["family"].startswith(INDIRECT)
    ]
