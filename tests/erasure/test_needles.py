"""Nothing of what was erased is left in a dump of the whole database, and everything of everybody else is (C-9)."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from consent.declarations import personal_models
from consent.models import ErasureScope, Sources, Tombstone
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import ERASER_ROLE
from foundation.personal_data import ConsentScope, KeptFor
from memory.models import ConversationEvent, MemoryItem, Session
from memory.services import item_decisions
from memory.services.sessions import title_from
from tests.support.cast import allow, make_person
from tests.support.erasures import forgotten
from tests.support.needles import dump, fill_every_field
from tests.support.talk import memories, open_session, permit_of, say

pytestmark = pytest.mark.django_db(transaction=True)
ALICE, BOB = "zqalicezq", "zqbobzq"
_ORGANISATIONS = {"accounts.ChatGroup"}  # its members name a group together


@pytest.fixture
def people() -> tuple[User, User]:
    alice, bob = make_person("alice"), make_person("bob")
    allow(alice)
    allow(bob)
    return alice, bob


def _left(needles: dict[str, str], text: str) -> set[str]:
    """The fields whose needle is in the text."""
    return {field for field, needle in needles.items() if needle in text}


def _tables(fields: Iterable[str]) -> set[str]:
    return {field.rpartition(".")[0] for field in fields}


def _figures() -> set[str]:
    """The fields that are left of rows that an erasure strips."""
    return {f"{one.label}.{name}" for one in personal_models() for name in one.declaration.figures}


def _under(scope: ConsentScope) -> set[str]:
    return {one.label for one in personal_models() if one.declaration.scope == scope}


def _kept(done: Tombstone) -> dict[str, str]:
    """The tables that the certificate names as kept, each with the reason."""
    assert done.certificate is not None
    return {entry["place"]: entry["reason"] for entry in done.certificate["kept"]}


def test_an_account_leaves_no_needle_and_touches_nobody_elses(people: tuple[User, User]) -> None:
    alice, bob = people
    needles = fill_every_field(alice, ALICE)
    bobs = fill_every_field(bob, BOB)
    before = dump()
    assert _left(needles, before) == set(needles)
    assert len(needles) > 150
    done = forgotten(alice, ErasureScope.ACCOUNT)
    after = dump()
    assert done.state == "completed", [step.reason for step in done.steps.all()]
    figures = {field: needle for field, needle in needles.items() if field in _figures()}
    assert _left(needles, after) == set(figures)  # codes and numbers, in which no person's word stands but here
    assert after.count(ALICE) == sum(ALICE in needle for needle in figures.values())
    assert (after.count(BOB), _left(bobs, after)) == (before.count(BOB), set(bobs))
    assert set(_kept(done).values()) == {"proof", "figures"}


def test_everything_learned_goes_with_the_words_it_came_from(people: tuple[User, User]) -> None:
    alice, bob = people
    needles = fill_every_field(alice, ALICE)
    fill_every_field(bob, BOB)
    before = dump()
    done = forgotten(alice, ErasureScope.MEMORIES)
    assert done.state == "completed"
    after = dump()
    learned = _under(ConsentScope.MEMORY_LEARNING)
    assert learned & _tables(needles)
    left = _left(needles, after)
    assert _tables(left) & learned == set()
    assert _tables(left) >= {"memory.UserContext", "accounts.User"}
    # Of a conversation its course stays, and nothing that somebody wrote or was called.
    assert _tables(left) & {"memory.ConversationEvent", "memory.Session"} == set()
    assert left & {"outbox.OutboxMessage.result", "personas.PersonaState.notes"} == set()
    assert after.count(BOB) == before.count(BOB)


@pytest.mark.parametrize("scope", [ErasureScope.MEMORIES, ErasureScope.PROFILE])
@pytest.mark.parametrize("sources", Sources)
def test_whatever_stays_is_named_on_the_certificate_with_its_reason(
    people: tuple[User, User], scope: ErasureScope, sources: Sources
) -> None:
    alice, _ = people
    needles = fill_every_field(alice, ALICE)
    done = forgotten(alice, scope, sources=sources)
    left = _tables(_left(needles, dump())) - _ORGANISATIONS
    assert done.state == "completed"
    assert left <= set(_kept(done))
    assert set(_kept(done).values()) <= {reason.value for reason in KeptFor}


def test_what_was_stated_goes_with_its_history(people: tuple[User, User]) -> None:
    alice, _ = people
    needles = fill_every_field(alice, ALICE)
    before = _left(needles, dump())
    assert forgotten(alice, ErasureScope.PROFILE).state == "completed"
    stated = _under(ConsentScope.SAVE_TO_PROFILE)
    copied = {"memory.TaskContext"}  # of the profile what a task ran with
    gone = before - _left(needles, dump())
    assert gone == {field for field in before if _tables([field]) <= stated | copied}
    assert {"memory.UserContext", "personas.UserDocument", "personas.HistoricalUserDocument"} <= stated


def _messages(user: User) -> str:
    with acting_as(user.pk):
        return str(list(ConversationEvent.objects.values_list("content", flat=True)))


def test_a_memory_goes_with_its_kin_its_source_and_every_trace(people: tuple[User, User]) -> None:
    """The needle sits in the source turn, the merged and superseded kin, title, slots, summary, neighbours' lexemes."""
    alice, _ = people
    session = open_session(alice)
    said = say(alice, session, f"I prefer answers about {ALICE}.", "The weather is fine.", "I follow BTC.")
    memory = next(item for item in memories(alice) if ALICE in item.content)
    with acting_as(alice.pk):
        permit = permit_of(alice)
        newer = item_decisions.correct(permit, memory.pk, f"Prefers answers about {ALICE} in short.")
        kin = item_decisions.add_stated(permit, f"Merged: {ALICE}.")
        MemoryItem.objects.filter(pk=newer.pk).update(
            provenance_detail={**newer.provenance_detail, "merged_from": [str(kin.pk)]}
        )
        session_row = Session.objects.filter(pk=session.pk)
        session_row.update(title=title_from(said[0].text), entity_slots={"topic": [ALICE]})
        with in_role(ERASER_ROLE):
            session_row.update(summary_blocks=[f"They spoke of {ALICE}."])
    assert dump().count(ALICE) >= 8
    done = forgotten(alice, ErasureScope.ITEM, str(newer.pk))
    assert done.state == "completed", [step.reason for step in done.steps.all()]
    assert dump().count(ALICE) == 0
    with acting_as(alice.pk):
        assert [event.text for event in ConversationEvent.objects.order_by("seq")] == [
            "", "The weather is fine.", "I follow BTC.",
        ]  # fmt: skip
    assert len(memories(alice)) == 1


def test_a_conversation_goes_with_what_was_learned_in_it(people: tuple[User, User]) -> None:
    alice, _ = people
    session, other = open_session(alice), open_session(alice)
    say(alice, session, f"I prefer answers about {ALICE}.")
    say(alice, other, "I follow BTC.")
    assert forgotten(alice, ErasureScope.SESSION, str(session.pk)).state == "completed"
    assert dump().count(ALICE) == 0
    assert [item.source_sessions for item in memories(alice)] == [[other.pk]]
