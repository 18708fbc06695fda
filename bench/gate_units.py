"""The labelled messages as the gate sees them: a unit for each sentence of the product's own split."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bench.everyday.labels import LabelledMessage
from memory.evolution.gate.features import GateSentence, gate_sentences
from memory.evolution.gate.types import NOT_TEACHING, TEACHING

KINDS: Final = (*TEACHING, *NOT_TEACHING)
"""In the order of the weights' columns."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence of a voice. ``shares`` is how much of it each of ``KINDS`` is, of those that teach alone where any
    does; they sum to 1.
    """

    voice: str
    language: str
    sentence: GateSentence
    shares: NDArray[np.float32]
    changes: bool

    @property
    def is_own(self) -> bool | None:
        """Whether any labelled part of it is the speaker's own claim; nothing for a sentence of questions alone."""
        if self.shares[KINDS.index("question")] == 1:
            return None
        return bool(self.shares[[KINDS.index(kind) for kind in (*TEACHING, "small talk", "passing")]].any())

    @property
    def teaches(self) -> bool:
        """Whether any labelled part of it does."""
        return bool(self.shares[: len(TEACHING)].any())


def units(messages: Iterable[LabelledMessage]) -> list[Unit]:
    """Every sentence of the messages, in order."""
    return [unit for message in messages for unit in _units(message)]


def _units(message: LabelledMessage) -> Iterator[Unit]:
    labelled = "".join(part.text for part in message.sentences)
    begin = len(labelled) - len(labelled.lstrip())
    owners = [at for at, part in enumerate(message.sentences) for _ in part.text][begin:]
    end = 0
    for sentence in gate_sentences(message.text):
        start = message.text.index(sentence.text, end)
        end = start + len(sentence.text)
        held = [owner for owner, mark in zip(owners[start:end], message.text[start:end], strict=True) if mark.strip()]
        parts = [message.sentences[owner] for owner in held]
        counts = np.bincount([KINDS.index(part.kind) for part in parts], minlength=len(KINDS)).astype(np.float32)
        if counts[: len(TEACHING)].any():
            counts[len(TEACHING) :] = 0
        changes = any(part.teaches and part.changes for part in parts)
        yield Unit(message.voice, message.language, sentence, counts / counts.sum(), changes)
