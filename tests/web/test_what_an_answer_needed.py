"""The line under an answer counts what the answer drew on, and says so where it needed none of what it had."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.models import ReceiptLine, Session
from tests.support.cast import allow
from tests.web.support import chat_of, signed_in

pytestmark = pytest.mark.django_db(transaction=True)


def send(browser: Client, session: Session, text: str) -> str:
    """The chat as it stands once the message is answered."""
    browser.post(reverse("web:chat_send", args=[session.pk]), {"content": text})
    return browser.get(reverse("web:chat_session", args=[session.pk])).content.decode()


def taught(user: User, *statements: str) -> Client:
    """A browser of somebody who said these."""
    allow(user)
    browser = signed_in(user)
    for said in statements:
        send(browser, chat_of(user), said)
        drain()
    return browser


@pytest.mark.parametrize(
    ("statement", "question"), [("I follow BTC", "What do I follow?"), ("我关注比特币", "我关注什么？")]
)
def test_what_the_answer_quotes_was_used(alice: User, statement: str, question: str) -> None:
    page = send(taught(alice, statement), chat_of(alice), question)
    assert "I used 1 memory" in page
    assert "at hand" not in page
    assert "The answer did not need it." not in page


@pytest.mark.parametrize(
    ("statement", "next_one"), [("I follow BTC", "I sold BTC today"), ("我关注比特币", "比特币涨了")]
)
def test_what_it_could_do_without_was_only_at_hand(alice: User, statement: str, next_one: str) -> None:
    page = send(taught(alice, statement), chat_of(alice), next_one)
    assert "I had 1 memory at hand" in page
    assert "I used" not in page
    assert "The answer did not need it." in page
    assert "Why: it bears on what you said" in page
    assert "fits what was asked" not in page


def test_of_several_only_those_it_drew_on_are_counted(alice: User) -> None:
    browser = taught(alice, "I follow BTC", "I follow ETH")
    session = chat_of(alice)
    send(browser, session, "What do I follow?")
    with acting_as(alice.pk):
        first, *_ = ReceiptLine.objects.filter(status="accepted", receipt__kind="injection", utilized=True)
        ReceiptLine.objects.filter(pk=first.pk).update(utilized=False)
    page = browser.get(reverse("web:chat_session", args=[session.pk])).content.decode()
    assert "I used 1 of 2 memories" in page


def test_what_nobody_can_tell_of_counts_as_used(alice: User) -> None:
    browser = taught(alice, "I follow BTC")
    session = chat_of(alice)
    send(browser, session, "What do I follow?")
    with acting_as(alice.pk):
        ReceiptLine.objects.filter(status="accepted").update(utilized=None)
    assert "I used 1 memory" in browser.get(reverse("web:chat_session", args=[session.pk])).content.decode()
