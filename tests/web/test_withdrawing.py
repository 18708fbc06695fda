"""Taking consent back: what it will do is said before the button, what it did after it."""

import pytest
from django.test import Client
from django.urls import reverse

from consent.services import permit_for
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from memory.learning.services import observe
from memory.models import MemoryItem
from memory.research.profile_context import save_profile_context
from memory.research.watch_questions import questions_of
from tests.support.cast import allow
from tests.support.research import thread_kept
from tests.web.support import chat_of, memory_of, said_in, signed_in

ADDRESS = reverse("web:privacy_withdraw")
LEARNING = {"scope": "memory_learning_allowed"}


def scopes_of(user: User) -> frozenset[ConsentScope]:
    with acting_as(user.pk):
        return permit_for(user).scopes


def stated(user: User) -> None:
    with acting_as(user.pk):
        save_profile_context(permit_for(user), {"language_preference": "zh"})


@pytest.mark.parametrize("scope", ["nonsense", "\x00", "", ["memory_learning_allowed", "nonsense"]])
def test_a_scope_nobody_knows_withdraws_nothing(alice: User, scope: str | list[str]) -> None:
    allow(alice)
    browser = signed_in(alice)
    assert browser.post(ADDRESS, {"scope": scope}).status_code == 400
    assert browser.get(ADDRESS, {"scope": scope}).status_code == 400
    assert scopes_of(alice) == set(ConsentScope)


def test_asking_changes_nothing_and_says_what_goes_when(alice: User) -> None:
    allow(alice)
    stated(alice)
    memory_of(alice, "Alice follows BTC")
    page = signed_in(alice).get(ADDRESS)
    outlook = page.context["outlook"]
    assert outlook.at_once == "1 set of preferences"
    assert "1 memory" in outlook.purged
    assert (outlook.staying, outlook.waiting, outlook.research) == ("", "", [])
    assert "Within 48 hours" in page.content.decode()
    assert scopes_of(alice) == set(ConsentScope)


def test_the_page_of_one_scope_speaks_of_that_scope_alone(alice: User) -> None:
    allow(alice)
    stated(alice)
    memory_of(alice, "Alice follows BTC")
    browser = signed_in(alice)
    profile = browser.get(ADDRESS, {"scope": "save_to_profile"})
    assert profile.context["outlook"].purged == ""
    assert "Within 48 hours" not in profile.content.decode()
    assert browser.get(ADDRESS, LEARNING).context["outlook"].at_once == ""
    assert "Nothing is kept under it yet" in browser.get(ADDRESS, {"scope": "save_to_thread"}).content.decode()


def test_withdrawing_one_scope_says_what_it_really_did(alice: User) -> None:
    allow(alice)
    stated(alice)
    session = chat_of(alice, "I follow BTC")
    item = memory_of(alice, "Alice follows BTC")
    with acting_as(alice.pk):
        observe(permit_for(alice), said_in(alice, session))
    browser = signed_in(alice)
    waiting = "1 message that waited to be learned from"
    assert browser.get(ADDRESS, LEARNING).context["outlook"].waiting == waiting
    effects = browser.post(ADDRESS, LEARNING).context["effects"]
    assert f"Called off: {waiting}." in effects
    assert any("deleted for good by" in effect for effect in effects)
    assert not any("preferences" in effect for effect in effects)
    assert scopes_of(alice) == set(ConsentScope) - {ConsentScope.MEMORY_LEARNING}
    assert browser.get(reverse("web:memory", args=[item.pk])).status_code == 404
    assert browser.get(reverse("web:privacy")).context["purge_due_at"] is not None
    drain()
    assert browser.get(reverse("web:privacy")).context["purge_due_at"] is None
    with acting_as(alice.pk):
        assert not MemoryItem.objects.exists()


def test_withdrawing_everything_counts_what_it_did(alice: User) -> None:
    allow(alice)
    stated(alice)
    page = signed_in(alice).post(ADDRESS)
    assert "1 set of preferences is forgotten." in page.context["effects"]
    with acting_as(alice.pk):
        assert permit_for(alice).is_revoked


def test_what_is_called_off_and_what_becomes_of_research_is_said_by_its_kind(alice: User) -> None:
    allow(alice)
    thread = thread_kept(alice)
    with acting_as(alice.pk):
        question = questions_of(permit_for(alice), thread)[0]
    browser = signed_in(alice)
    for answer in ("resolve", "reopen"):
        browser.post(reverse("web:question_answer", args=[thread.pk, question.pk, answer]))

    outlook = browser.get(ADDRESS).context["outlook"]
    assert outlook.waiting == "1 look at a question you opened again"
    assert ["thesis that relied" in sentence for sentence in outlook.research] == [False, True]
    assert outlook.research[0] in browser.get(ADDRESS, {"scope": "save_to_profile"}).content.decode()
    effects = browser.post(ADDRESS, {"scope": "save_to_profile"}).context["effects"]
    assert "Called off: 1 look at a question you opened again." in effects


def test_where_nothing_was_kept_it_says_so_kindly(alice: User) -> None:
    allow(alice, ConsentScope.SAVE_TO_THREAD)
    page = signed_in(alice).post(ADDRESS, {"scope": "save_to_thread"})
    assert page.context["effects"] == ["Nothing was kept, so there was nothing to forget."]


@pytest.mark.parametrize("ask", [Client.get, Client.post])
def test_a_scope_that_is_off_is_not_withdrawn_again(alice: User, ask: object) -> None:
    allow(alice, ConsentScope.SAVE_TO_PROFILE)
    browser = signed_in(alice)
    answer = getattr(browser, ask.__name__)(ADDRESS, LEARNING, follow=True)  # type: ignore[attr-defined]
    assert "This is off already." in answer.content.decode()
    with acting_as(alice.pk):
        assert permit_for(alice).version == 1


def test_withdrawing_twice_changes_nothing_and_says_so(alice: User) -> None:
    allow(alice)
    browser = signed_in(alice)
    browser.post(ADDRESS)
    assert browser.post(ADDRESS).status_code == 409
    with acting_as(alice.pk):
        assert permit_for(alice).version == 2
