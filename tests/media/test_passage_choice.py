"""Of a long file a turn reads what its prompt shows, no more, and lets other requests run meanwhile."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from unittest.mock import Mock
from uuid import UUID, uuid4

import pytest
from django.utils import timezone

from finclaw.brain.prompt.budget import MOST_OF_ATTACHMENTS
from finclaw.brain.recall import passage_choice
from finclaw.brain.recall.passage_choice import MOST_LOOKED_AT, choose_passages
from finclaw.brain.types import PromptCandidate
from foundation.sanitization.types import SanitizationResult
from media.models import MediaPassage

FILE, PICTURE = uuid4(), uuid4()
FILLER = "Nothing of note happened at the quay that day. " * 18
ORDERS = "orders"


@pytest.fixture(autouse=True)
def sanitizing(monkeypatch: pytest.MonkeyPatch) -> Mock:
    """Counts what is sanitized; what holds the word ``orders`` is blocked."""

    def sanitize(candidates: Iterable[PromptCandidate]) -> tuple[PromptCandidate, ...]:
        return tuple(
            replace(one, sanitization=(SanitizationResult.BLOCKED if ORDERS in one.text else SanitizationResult.PASS))
            for one in candidates
        )

    counted = Mock(side_effect=sanitize)
    monkeypatch.setattr(passage_choice, "sanitize_candidates", counted)
    return counted


@pytest.fixture(autouse=True)
def pausing(monkeypatch: pytest.MonkeyPatch) -> Mock:
    """Counts how often others get their turn, without the pause."""
    counted = Mock()
    monkeypatch.setattr(passage_choice, "let_others_run", counted)
    return counted


def passages(*texts: str, of: UUID = FILE) -> list[MediaPassage]:
    """Passages of one file."""
    made = enumerate(texts, 1)
    return [MediaPassage(media_id=of, position=n, text=text, created_at=timezone.now()) for n, text in made]


def test_of_a_long_file_the_passage_that_fits_is_shown_and_few_are_looked_at(sanitizing: Mock, pausing: Mock) -> None:
    rows = passages(*[FILLER] * 300, "The lighthouse keeper is called Ingrid.", *[FILLER] * 149)

    choice = choose_passages(rows, "What is the lighthouse keeper called?")

    assert next(iter(choice.looked_at)) == rows[300].pk
    assert rows[300].pk in choice.shown
    assert sanitizing.call_count == len(choice.looked_at) < MOST_LOOKED_AT
    assert sum(one.tokens for one in choice.looked_at.values()) <= MOST_OF_ATTACHMENTS
    assert pausing.call_count >= len(rows), "others run between any two passages"
    assert {decision.candidate.id for decision in choice.decisions} == choice.looked_at.keys()


def test_a_file_full_of_orders_is_not_looked_at_to_its_end(sanitizing: Mock) -> None:
    choice = choose_passages(passages(*[f"{FILLER} {ORDERS}"] * 450), "What does it say?")

    assert sanitizing.call_count == MOST_LOOKED_AT
    assert not choice.shown
    assert {decision.reason for decision in choice.decisions} == {"blocked"}


def test_what_an_image_says_is_looked_at_beside_a_long_file() -> None:
    long, poster = passages(*[f"{FILLER} poster"] * 100), passages(f"{FILLER} {ORDERS}", of=PICTURE)

    choice = choose_passages([*long, *poster], "What does the poster say?", in_images={PICTURE})

    assert not choice.is_harmless(poster)
    assert choice.is_blocked(poster[0].pk)
    assert not choice.is_harmless(long), "nobody looked at all of them"
