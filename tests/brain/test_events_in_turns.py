"""Events come up by themselves: few of them, and only the conversation's own (M-45, seed D §4.1)."""

from __future__ import annotations

from django.test import override_settings

from finclaw.brain.recall.search import recall
from finclaw.brain.types import PromptCandidate
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.models import Session
from memory.retrieval.services import embed_query
from tests.brain.test_looking_up import tell
from tests.support.cast import allow, group_with
from tests.support.talk import open_session, permit_of


def events(user: User, session: Session, *questions: str) -> list[PromptCandidate]:
    embedded = [embed_query(question) for question in questions]
    with acting_as(user.pk):
        found = recall(permit_of(user), session, embedded, user.name)
    return [one for one in found.candidates if one.kind == "event"]


def test_at_most_three_come_however_many_questions_find_some(alice: User) -> None:
    allow(alice)
    for number in range(4):
        tell(alice, f"a{number}", f"Alice bought {number} ASML shares.")
        tell(alice, f"v{number}", f"Alice sold {number} vineyards.")
    session = open_session(alice)

    both = events(alice, session, "Which ASML shares?", "Which vineyards?")

    assert len(both) == 3
    assert len(events(alice, session, "Which ASML shares?")) == 3
    with override_settings(COGNITIVE_AUTO_TOP_K=1):
        [best] = events(alice, session, "Which ASML shares?", "Which vineyards?")
    assert best.relevant
    assert best.score >= max(one.score for one in both)


def test_a_conversation_recalls_its_own_events_and_nobody_elses(alice: User, bob: User, charlie: User) -> None:
    for person in (alice, bob, charlie):
        allow(person)
    desk, other = group_with(alice, [bob]), group_with(alice, [charlie])
    tell(alice, "private", "Alice bought a vineyard.")
    tell(bob, "bobs", "Bob bought a vineyard.")
    tell(bob, "desk", "Bob proposed a vineyard.", session=open_session(bob, group_id=desk.pk))
    tell(charlie, "other", "Charlie proposed a vineyard.", session=open_session(charlie, group_id=other.pk))
    question = "Who spoke of a vineyard?"

    in_private = events(alice, open_session(alice), question)
    at_desk = events(alice, open_session(alice, group_id=desk.pk), question)

    assert [("bought" in one.text, "Alice" in one.text) for one in in_private] == [(True, True)]
    assert ["Bob proposed" in one.text for one in at_desk] == [True]
    assert events(charlie, open_session(charlie), question)[0].text.count("Charlie") == 1
