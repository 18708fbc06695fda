"""Chooses which passages of the files of a message its prompt shows, and reads no more of them than that takes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final
from uuid import UUID

from finclaw.brain.cooperative_yield import let_others_run
from finclaw.brain.prompt.budget import MOST_OF_ATTACHMENTS
from finclaw.brain.prompt.memory_lines import memory_tokens
from finclaw.brain.sanitization.candidates import sanitize_candidates
from finclaw.brain.types import CandidateDecision, PromptCandidate
from foundation.sanitization.types import SanitizationResult
from foundation.text import estimate_tokens, tokenize
from media.models import MediaPassage

ATTACHED: Final = "attached"
"""The receipt's reason for what a file says that came with the message."""
MOST_LOOKED_AT: Final = 60
"""Passages; looking at one takes up to a second of the processor, where it is full of what may be orders."""


@dataclass
class PassageChoice:
    """The passages that were looked at, sanitized, those that fit the message best first, and which are shown."""

    looked_at: dict[UUID, PromptCandidate] = field(default_factory=dict)
    shown: set[UUID] = field(default_factory=set)

    def is_blocked(self, passage_id: UUID) -> bool:
        """Whether it was found to give orders; false for one that nobody looked at."""
        found = self.looked_at.get(passage_id)
        return found is not None and found.sanitization == SanitizationResult.BLOCKED

    def is_harmless(self, passages: Collection[MediaPassage]) -> bool:
        """Whether each of these was looked at, and gives no orders."""
        return all(row.pk in self.looked_at and not self.is_blocked(row.pk) for row in passages)

    @property
    def decisions(self) -> Iterator[CandidateDecision]:
        """What the receipt says of those looked at: which the model read, and which were blocked or found no room."""
        for key, candidate in self.looked_at.items():
            if self.is_blocked(key):
                yield CandidateDecision(candidate, accepted=False, reason="blocked")
            else:
                is_shown = key in self.shown
                yield CandidateDecision(candidate, is_shown, ATTACHED if is_shown else "budget_exceeded")


def choose_passages(
    passages: Sequence[MediaPassage],
    message: str,
    in_images: Collection[UUID] = frozenset(),
    room: int = MOST_OF_ATTACHMENTS,
) -> PassageChoice:
    """The passages to show: all where they fit ``room`` tokens, else those that share most words with the message, the
    first first.

    Others get their turn between any two. Those of ``in_images``, the images that a model is to see, are looked at
    even without room for them.
    """
    choice = PassageChoice()
    for row in _ranked(passages, message):
        if len(choice.looked_at) == MOST_LOOKED_AT:
            break
        if estimate_tokens(row.text) > room and row.media_id not in in_images:
            continue
        [found] = sanitize_candidates([_candidate(row)])
        choice.looked_at[found.id] = found
        if found.tokens <= room and not choice.is_blocked(found.id):
            choice.shown.add(found.id)
            room -= found.tokens
        let_others_run()
    return choice


def _ranked(passages: Sequence[MediaPassage], message: str) -> list[MediaPassage]:
    """The passages, those first that share most words with the message."""
    asked, shared = set(tokenize(message)), dict[UUID, int]()
    for row in passages:
        shared[row.pk] = len(asked.intersection(tokenize(row.text)))
        let_others_run()
    return sorted(passages, key=lambda row: -shared[row.pk])


def _candidate(row: MediaPassage) -> PromptCandidate:
    """A passage, not sanitized yet, with the tokens that it takes as it stands."""
    found = PromptCandidate("document", row.pk, row.text, 1.0, 0, row.created_at, said_by=row.file_name)
    return replace(found, tokens=memory_tokens(found))
