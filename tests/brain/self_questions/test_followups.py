"""What is asked of a list acts on what was listed: since when, from where, forget that, that's wrong."""

from __future__ import annotations

import pytest
from django.urls import reverse

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.models import MemoryItem, Session
from memory.services import item_decisions
from tests.support.cast import allow, group_with
from tests.support.speaking import ask
from tests.support.talk import memories, open_session, permit_of, say


def told(user: User, *texts: str) -> Session:
    """A chat in which the user was just told of these statements, which they had said in another."""
    allow(user)
    say(user, open_session(user), *texts)
    session = open_session(user)
    reply = ask(user, session, "What do you remember about me?").reply
    assert all(item.content in reply for item in memories(user, state="active"))
    return session


def in_force(user: User) -> list[str]:
    """The statements that hold now."""
    return [item.content for item in memories(user, state="active", superseded_at=None)]


@pytest.mark.parametrize("asked", ["since when?", "When did I tell you that?", "什么时候的事？"])
def test_since_when_tells_the_day(alice: User, asked: str) -> None:
    session = told(alice, "I live in Leeds")
    [item] = memories(alice)

    reply = ask(alice, session, asked).reply

    assert item.content in reply
    assert str(item.valid_at.year) in reply


@pytest.mark.parametrize("asked", ["Who told you?", "how do you know that?", "谁告诉你的？"])
def test_who_told_leads_to_the_source(alice: User, asked: str) -> None:
    session = told(alice, "I live in Leeds")
    [item] = memories(alice)

    reply = ask(alice, session, asked).reply

    assert item.content in reply
    assert reverse("web:memory", args=[item.pk]) in reply


@pytest.mark.parametrize("asked", ["Forget that.", "please forget it", "忘了这个", "把这条删掉"])
def test_forgetting_in_the_chat_leads_to_the_preview_and_deletes_nothing(alice: User, asked: str) -> None:
    session = told(alice, "I live in Leeds")
    [item] = memories(alice)

    reply = ask(alice, session, asked).reply
    drain()

    assert reverse("web:forget_memory", args=[item.pk]) in reply
    assert [kept.pk for kept in memories(alice)] == [item.pk]


def test_one_of_several_is_forgotten_by_its_words_or_its_number(alice: User) -> None:
    session = told(alice, "I live in Leeds", "I have a dog called Rex")
    [dog] = [item for item in memories(alice) if "Rex" in item.content or "dog" in item.content]

    assert reverse("web:forget_memory", args=[dog.pk]) in ask(alice, session, "forget the dog").reply


def test_without_a_list_the_words_say_what_is_meant(alice: User) -> None:
    allow(alice)
    with acting_as(alice.pk):
        item = item_decisions.add_stated(permit_of(alice), "My cat is called Miso")
        item_decisions.add_stated(permit_of(alice), "I work as a nurse")

    reply = ask(alice, open_session(alice), "Forget that my cat is called Miso").reply

    assert reverse("web:forget_memory", args=[item.pk]) in reply
    assert "nurse" not in reply


def test_forget_everything_leads_to_its_page(alice: User) -> None:
    allow(alice)

    assert reverse("web:forget_learned") in ask(alice, open_session(alice), "forget everything about me").reply


@pytest.mark.parametrize("asked", ["forget that", "since when?", "who told you?", "that's wrong, it's York"])
def test_where_nothing_was_listed_nothing_is_acted_on(alice: User, asked: str) -> None:
    allow(alice)

    reply = ask(alice, open_session(alice), asked).reply

    assert "/memories/" not in reply


@pytest.mark.parametrize(
    ("statement", "wrong", "right"),
    [
        ("I live in Leeds", "that's wrong, it's York", "York"),
        ("I live in Leeds", "No, it's York", "York"),
        ("我住在杭州", "不对，是苏州", "苏州"),
    ],
)
def test_a_correction_puts_right_what_was_listed(alice: User, statement: str, wrong: str, right: str) -> None:
    session = told(alice, statement)

    ask(alice, session, wrong)
    drain()

    [kept] = in_force(alice)
    assert right in kept
    assert "Leeds" not in kept
    assert "杭州" not in kept


def test_a_correction_without_what_is_right_asks(alice: User) -> None:
    session = told(alice, "I live in Leeds")
    [item] = memories(alice)

    reply = ask(alice, session, "that's wrong").reply

    assert reverse("web:memory", args=[item.pk]) in reply
    assert in_force(alice) == [item.content]


def test_a_temporary_chat_corrects_nothing(alice: User) -> None:
    told(alice, "I live in Leeds")
    session = open_session(alice, remember=False)
    ask(alice, session, "who am I?")
    before = in_force(alice)

    ask(alice, session, "that's wrong, it's York")
    drain()

    assert in_force(alice) == before


def test_in_a_group_nothing_is_acted_on(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    session = open_session(alice, group_id=group_with(alice, [bob]).pk)
    say(alice, session, "I live in Leeds")
    ask(alice, session, "who am I?")

    reply = ask(alice, session, "forget that").reply

    assert "/forget/" not in reply


def test_nobody_forgets_what_is_somebody_elses(alice: User, bob: User) -> None:
    allow(bob)
    with acting_as(bob.pk):
        item_decisions.add_stated(permit_of(bob), "My cat is called Miso")
    allow(alice)

    assert "Miso" not in ask(alice, open_session(alice), "forget my cat").reply
    assert MemoryItem.objects.count() == 0
