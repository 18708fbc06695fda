"""Switches, what is kept under each, and the history of decisions."""

from uuid import UUID

from django.test import Client
from django.urls import reverse

from consent.declarations import personal_models
from consent.services import permit_for
from finclaw.data_inventory import count_in_words
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.ids import new_id
from foundation.personal_data import ConsentScope
from memory.models import CognitiveEvent
from memory.research.profile_context import save_profile_context
from tests.support.cast import allow
from tests.support.experiments import make_staff, treat
from tests.web.support import chat_of, event_of, memory_of, signed_in


def told(browser: Client) -> list[str]:
    """The sentences of the history, the newest first."""
    return [change["text"] for change in browser.get(reverse("web:privacy")).context["changes"]]


def test_the_history_says_what_each_decision_changed(alice: User) -> None:
    allow(alice, ConsentScope.MEMORY_LEARNING)
    browser = signed_in(alice)
    browser.post(reverse("web:privacy_scopes"), {"save_to_profile": "on", "memory_learning_allowed": "on"})
    browser.post(reverse("web:privacy_withdraw"), {"scope": "memory_learning_allowed"})
    browser.post(reverse("web:privacy_withdraw"))
    assert told(browser) == [
        "You withdrew everything.",
        "Turned off: learning from our conversations.",
        "Turned on: how you work.",
        "Turned on: learning from our conversations.",
    ]


def test_saving_the_same_switches_is_no_decision(alice: User) -> None:
    allow(alice, ConsentScope.MEMORY_LEARNING)
    browser = signed_in(alice)
    browser.post(reverse("web:privacy_scopes"), {"memory_learning_allowed": "on"})
    assert len(told(browser)) == 1


def test_switching_the_last_scope_off_leaves_a_grant(alice: User) -> None:
    allow(alice, ConsentScope.MEMORY_LEARNING)
    signed_in(alice).post(reverse("web:privacy_withdraw"), {"scope": "memory_learning_allowed"})
    with acting_as(alice.pk):
        permit = permit_for(alice)
    assert (permit.has_decided, permit.is_revoked, permit.scopes) == (True, False, frozenset())


def test_each_switch_says_what_is_kept_under_it_of_ones_own(alice: User, bob: User) -> None:
    permit = allow(alice)
    allow(bob)
    with acting_as(alice.pk):
        save_profile_context(permit, {"language_preference": "zh"})
    memory_of(alice, "Alice follows BTC")
    memory_of(alice, "Alice follows ETH")
    memory_of(bob, "Bob follows BTC")
    page = signed_in(alice).get(reverse("web:privacy"))
    kept = page.context["kept"]
    assert kept["save_to_profile"] == "1 set of preferences"
    assert "2 memories" in kept["memory_learning_allowed"]
    assert kept["training_use_allowed"] == ""
    assert page.content.decode().count("Nothing is kept under this yet.") == 2


def test_every_declared_table_is_counted_under_its_scope(alice: User) -> None:
    """A table of a later day is listed on that day, by its own name."""
    for personal in personal_models():
        assert count_in_words(personal, 2).startswith("2 ")
        assert count_in_words(personal, 1) != count_in_words(personal, 2)


def test_turning_a_switch_on_holds_at_once_and_turning_one_off_asks_first(alice: User) -> None:
    allow(alice, ConsentScope.MEMORY_LEARNING)
    answer = signed_in(alice).post(reverse("web:privacy_scopes"), {"save_to_profile": "on"})
    assert answer["Location"] == reverse("web:privacy_withdraw") + "?scope=memory_learning_allowed"
    with acting_as(alice.pk):
        assert permit_for(alice).scopes == {ConsentScope.MEMORY_LEARNING, ConsentScope.SAVE_TO_PROFILE}


def test_who_revoked_may_still_chat_with_a_hint(alice: User) -> None:
    allow(alice)
    browser = signed_in(alice)
    browser.post(reverse("web:privacy_withdraw"))
    page = browser.post(reverse("web:chat_new"), follow=True)
    assert page.status_code == 200
    assert "Personalization is off" in page.content.decode()


def test_the_hint_is_not_shown_to_who_allows_learning(alice: User) -> None:
    allow(alice)
    page = signed_in(alice).get(reverse("web:chat_session", args=[chat_of(alice).pk]))
    assert "Personalization is off" not in page.content.decode()
    assert "What I learn appears under" in page.content.decode()


def test_what_is_one_thing_to_a_person_is_counted_once(alice: User) -> None:
    allow(alice)
    item = memory_of(alice, "Alice follows BTC")
    browser = signed_in(alice)
    for words in ("Alice follows ETH", "Alice follows SOL"):
        item_id = browser.post(reverse("web:memory_correct", args=[item.pk]), {"content": words})["Location"]
        item.pk = UUID(item_id.strip("/").split("/")[-1])
    event_of(alice, chat_of(alice), "r:1", "2 March 2026: Alice bought a bicycle.")
    with acting_as(alice.pk):
        seen = CognitiveEvent.objects.get()
        fields = {field.attname: getattr(seen, field.attname) for field in seen._meta.concrete_fields}
        CognitiveEvent.objects.create(**(fields | {"id": new_id(), "perspective": "group"}))
    kept = browser.get(reverse("web:privacy")).context["kept"]["memory_learning_allowed"]
    assert "1 memory" in kept
    assert "1 event" in kept


def test_the_page_says_that_answers_are_compared_and_in_how_many_experiments(alice: User) -> None:
    heading = "How answers are compared"
    allow(alice, ConsentScope.SAVE_TO_PROFILE)
    assert heading not in signed_in(alice).get(reverse("web:privacy")).content.decode()
    allow(alice, ConsentScope.MEMORY_LEARNING)
    page = signed_in(alice).get(reverse("web:privacy")).content.decode()
    assert heading in page
    assert "You take part in none now." in page
    treat(alice, make_staff("olga", "operator"), skill_threshold=0.2)
    assert "You take part in 1 comparison now." in signed_in(alice).get(reverse("web:privacy")).content.decode()
