"""Somebody else's object is 404, never 403, on every address that names one; strangers are sent to sign in."""

import pytest
from django.test import Client
from django.urls import reverse

from foundation.accounts.models import ApiToken, User
from foundation.accounts.services import issue_token
from memory.models import MemoryItem
from tests.support.cast import allow
from tests.web.support import chat_of, event_of, memory_of, said_in, signed_in

MEMBERS_PAGES = (
    "onboarding", "chat", "chat_search", "memories", "memory_add", "over_time", "unsure", "events", "portraits",
    "voice", "privacy", "privacy_withdraw", "exports", "erasures", "forget_learned", "forget_account", "settings",
    "tokens", "programs", "webhooks", "imports", "web_sessions", "recovery_codes", "model",
    "notice", "ask", "threads", "training_candidates", "given_feedback", "knowledge",
    "bookmarks", "long_tasks",
)  # fmt: skip
MEMBERS_ACTIONS = ("chat_new", "chat_start", "privacy_scopes", "token_create")


@pytest.fixture
def outsider(charlie: User) -> Client:
    """Charlie's browser; he decided on consent, so nothing but ownership stands in his way."""
    allow(charlie)
    return signed_in(charlie)


def test_an_outsider_finds_no_chat_of_alice(alice: User, outsider: Client) -> None:
    allow(alice)
    session = chat_of(alice, "I follow BTC")
    assert outsider.get(reverse("web:chat_session", args=[session.pk])).status_code == 404
    assert outsider.post(reverse("web:chat_end", args=[session.pk])).status_code == 404
    assert signed_in(alice).get(reverse("web:chat_session", args=[session.pk])).status_code == 200


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("query", ["", "?stream=true"])
def test_an_outsider_cannot_speak_in_a_chat_of_alice(alice: User, outsider: Client, query: str) -> None:
    allow(alice)
    session = chat_of(alice, "I follow BTC")
    address = reverse("web:chat_send", args=[session.pk])
    assert outsider.post(address + query, {"content": "hello"}).status_code == 404
    assert len(said_in(alice, session)) == 1


def test_an_outsider_finds_no_memory_of_alice(alice: User, outsider: Client) -> None:
    allow(alice)
    item = memory_of(alice, "Alice follows BTC")
    assert outsider.get(reverse("web:memory", args=[item.pk])).status_code == 404
    assert outsider.post(reverse("web:memory_confirm", args=[item.pk])).status_code == 404
    correction = {"content": "Alice follows nothing"}
    assert outsider.post(reverse("web:memory_correct", args=[item.pk]), correction).status_code == 404
    assert outsider.post(reverse("web:memory_correct", args=[item.pk]), {}).status_code == 404
    assert "Alice follows BTC" in signed_in(alice).get(reverse("web:memory", args=[item.pk])).content.decode()


def test_an_outsider_finds_no_event_of_alice(alice: User, outsider: Client) -> None:
    allow(alice)
    event = event_of(alice, chat_of(alice), "request-1:1", "2 March 2026: Alice bought a bicycle.")
    assert outsider.get(reverse("web:event", args=[event.event_id])).status_code == 404
    assert "bicycle" in signed_in(alice).get(reverse("web:event", args=[event.event_id])).content.decode()


def test_an_outsider_sees_and_finds_nothing_of_alice_in_the_lists(alice: User, outsider: Client) -> None:
    allow(alice)
    memory_of(alice, "Alice follows BTC")
    event_of(alice, chat_of(alice, "bicycle"), "request-1:1", "2 March 2026: Alice bought a bicycle.")
    for address in (
        "/memories/",
        "/memories/?q=BTC&state=all",
        "/memories/over-time/",
        "/memories/unsure/",
        "/events/",
        "/events/?q=bicycle",
        "/chat/?new=1",
    ):
        page = outsider.get(address).content.decode()
        assert "Alice" not in page


def test_an_outsider_cannot_revoke_a_key_of_alice(alice: User, outsider: Client) -> None:
    token, _plain = issue_token(alice, "Notebook")
    assert outsider.post(reverse("web:token_revoke", args=[token.id])).status_code == 404
    assert ApiToken.objects.get(id=token.id).revoked_at is None


def test_an_outsider_cannot_end_a_browser_session_of_alice(alice: User, outsider: Client) -> None:
    allow(alice)
    browser, other = signed_in(alice), signed_in(alice)
    listed = browser.get(reverse("web:web_sessions")).context["web_sessions"]
    assert len(listed) == 2
    for entry in listed:
        outsider.post(reverse("web:web_sessions"), {"end": entry.key})
    outsider.post(reverse("web:web_sessions"), {"end": "others"})
    assert other.get(reverse("web:settings")).status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize("name", MEMBERS_PAGES)
def test_a_stranger_is_sent_to_sign_in(client: Client, name: str) -> None:
    answer = client.get(reverse(f"web:{name}"))
    assert answer.status_code == 302
    assert answer["Location"].startswith(reverse("web:sign_in"))


@pytest.mark.django_db
@pytest.mark.parametrize("name", MEMBERS_ACTIONS)
def test_a_stranger_can_do_nothing(client: Client, name: str) -> None:
    assert client.post(reverse(f"web:{name}"))["Location"].startswith(reverse("web:sign_in"))


@pytest.mark.parametrize("name", [name for name in MEMBERS_PAGES if name != "onboarding"])
def test_who_never_decided_is_asked_first(alice: User, name: str) -> None:
    assert signed_in(alice).get(reverse(f"web:{name}"))["Location"] == reverse("web:onboarding")


def test_what_is_done_takes_a_post(alice: User) -> None:
    allow(alice)
    session, item = chat_of(alice), memory_of(alice, "Alice follows BTC")
    browser = signed_in(alice)
    named = [
        ("chat_send", session.pk),
        ("chat_end", session.pk),
        ("memory_confirm", item.pk),
        ("memory_correct", item.pk),
    ]
    addresses = [reverse(f"web:{name}", args=[key]) for name, key in named]
    addresses += [reverse(f"web:{name}") for name in (*MEMBERS_ACTIONS, "sign_out")]
    assert {browser.get(address).status_code for address in addresses} == {405}
    assert MemoryItem.State(item.state) == MemoryItem.State.ACTIVE


def test_a_form_without_its_token_is_refused_with_a_page(alice: User) -> None:
    allow(alice)
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    answer = browser.post(reverse("web:privacy_withdraw"))
    assert answer.status_code == 403
    assert "You cannot do this" in answer.content.decode()
