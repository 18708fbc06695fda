"""Granting again restores nothing: what was said before the gap is not even used beside what came after (C-5)."""

from __future__ import annotations

import pytest

from consent.services import grant_consent, permit_for, scope_held_since, withdraw_consent
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from memory.learning.services import observe
from memory.models import SearchEntry, Session
from memory.services.sessions import record_messages, start_session
from memory.types import NewMessage
from tests.support.cast import allow

LEARNING = ConsentScope.MEMORY_LEARNING


def _say(user: User, session: Session, text: str) -> None:
    with acting_as(user.pk):
        permit = permit_for(user)
        observe(permit, record_messages(permit, session, [NewMessage.of_text("user", text, user.name)]))
    drain()


def _terms(user: User) -> str:
    with acting_as(user.pk):
        return " ".join(SearchEntry.objects.values_list("terms", flat=True))


@pytest.mark.parametrize("scopes", [(), (LEARNING,)], ids=["everything", "learning alone"])
def test_words_from_before_the_gap_lend_nothing_to_their_neighbours(
    alice: User, scopes: tuple[ConsentScope, ...]
) -> None:
    permit = allow(alice)
    assert permit.consent_id is not None
    with acting_as(alice.pk):
        session = start_session(permit, alice)
    _say(alice, session, "I collect krugerrands.")
    assert "krugerrand" in _terms(alice)
    with acting_as(alice.pk):
        withdraw_consent(alice, permit.consent_id, scopes, source="web")
    drain()
    allow(alice)

    _say(alice, session, "Nice weather.")

    assert "weather" in _terms(alice)
    assert "krugerrand" not in _terms(alice)


def test_a_change_of_another_scope_is_no_gap(alice: User) -> None:
    allow(alice)
    with acting_as(alice.pk):
        grant_consent(alice, {LEARNING}, source="web")
        assert scope_held_since(alice.pk, LEARNING) == 1
        assert scope_held_since(alice.pk, ConsentScope.SAVE_TO_PROFILE) == 3


def test_the_gap_ends_with_the_version_after_it(alice: User) -> None:
    allow(alice)
    allow(alice, ConsentScope.SAVE_TO_THREAD)
    permit = allow(alice)

    with acting_as(alice.pk):
        assert scope_held_since(alice.pk, LEARNING) == permit.version == 3
