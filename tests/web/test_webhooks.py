"""The pages of webhooks: added, tried, sent again, switched off, given a new secret, deleted; by their owner alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.ids import new_id
from foundation.outbox.tasks import drain
from foundation.webhooks.models import Webhook, WebhookDelivery, WebhookEvent
from tests.support.cast import allow, allow_nothing
from tests.support.webhook_receiver import WebhookReceiver, receiving
from tests.web.support import signed_in

PAGE = "/settings/webhooks/"
SECRET = re.compile(r"whsec_[\w+/=]+")


@pytest.fixture
def receiver(settings: Settings) -> Iterator[WebhookReceiver]:
    settings.WEBHOOK_ALLOWED_NETWORKS = ["127.0.0.0/8"]
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def browser(alice: User) -> Client:
    allow(alice)
    return signed_in(alice)


def add(browser: Client, url: str, *events: str) -> str:
    return browser.post(PAGE, {"url": url, "events": list(events or ("export.ready",))}).content.decode()


def the_webhook(user: User) -> Webhook:
    with acting_as(user.pk):
        return Webhook.objects.get()


def the_delivery(user: User) -> WebhookDelivery:
    with acting_as(user.pk):
        return WebhookDelivery.objects.get()


def address(name: str, webhook: Webhook, **more: object) -> str:
    return reverse(f"web:{name}", kwargs={"webhook_id": webhook.pk, **more})


def press(browser: Client, name: str, webhook: Webhook, **more: object) -> str:
    return browser.post(address(name, webhook, **more), follow=True).content.decode()


def test_somebody_elses_webhook_is_not_there(
    alice: User, bob: User, browser: Client, receiver: WebhookReceiver
) -> None:
    add(browser, receiver.url)
    webhook = the_webhook(alice)
    press(browser, "webhook_test", webhook)
    allow(bob)
    other = signed_in(bob)
    assert receiver.url not in other.get(PAGE).content.decode()
    pages = [other.get(address(name, webhook)) for name in ("webhook", "webhook_forget")]
    acts = [
        other.post(address(name, webhook), {"url": receiver.url, "events": ["task.done"]})
        for name in ("webhook", "webhook_switch", "webhook_test", "webhook_secret", "webhook_forget")
    ]
    again = other.post(address("webhook_resend", webhook, delivery_id=the_delivery(alice).pk))
    assert {answer.status_code for answer in (*pages, *acts, again)} == {404}
    assert the_webhook(alice).events == ["export.ready"]


def test_acts_are_posts(alice: User, browser: Client, receiver: WebhookReceiver) -> None:
    add(browser, receiver.url)
    names = ("webhook_switch", "webhook_test", "webhook_secret")
    assert {browser.get(address(name, the_webhook(alice))).status_code for name in names} == {405}


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({}, "This field is required."), ({"url": "nonsense", "events": "task.done"}, "Give an address such as"),
        ({"url": "https://10.0.0.5/", "events": "task.done"}, "leads to no host of the public internet"),
        ({"url": "https://8.8.8.8/", "events": "ping"}, "Select a valid choice"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said_at_its_field(alice: User, browser: Client, form: dict[str, str], sentence: str) -> None:
    answer = browser.post(PAGE, form)
    assert answer.status_code == 400
    assert sentence in answer.content.decode()
    with acting_as(alice.pk):
        assert not Webhook.objects.exists()


def test_a_secret_is_shown_once_and_once_more_when_it_is_renewed(
    alice: User, browser: Client, receiver: WebhookReceiver
) -> None:
    assert "No webhooks yet" in browser.get(PAGE).content.decode()
    [first] = SECRET.findall(add(browser, receiver.url, "export.ready", "task.done"))
    webhook = the_webhook(alice)
    assert (webhook.secret, webhook.events) == (first, ["export.ready", "task.done"])
    [second] = SECRET.findall(press(browser, "webhook_secret", webhook))
    assert the_webhook(alice).secret == second != first
    pages = [browser.get(each).content.decode() for each in (PAGE, address("webhook", webhook))]
    assert not any(map(SECRET.search, pages))
    assert all(receiver.url in page for page in pages)


def test_a_test_is_sent_listed_and_sent_again(alice: User, browser: Client, receiver: WebhookReceiver) -> None:
    receiver.statuses = [500]
    add(browser, receiver.url)
    webhook = the_webhook(alice)
    assert "Nothing yet" in browser.get(address("webhook", webhook)).content.decode()
    assert "A test is on its way." in press(browser, "webhook_test", webhook)
    drain()
    page = browser.get(address("webhook", webhook)).content.decode()
    assert "1 attempt · refused · 500" in page
    assert "Next try" in page
    assert "The last attempt failed." in page
    assert "It is sent again." in press(browser, "webhook_resend", webhook, delivery_id=the_delivery(alice).pk)
    drain()
    assert "Delivered" in browser.get(address("webhook", webhook)).content.decode()
    assert len({headers["webhook-id"] for headers, _ in receiver.told}) == 1


def test_address_and_events_are_changed(alice: User, browser: Client, receiver: WebhookReceiver) -> None:
    add(browser, receiver.url)
    webhook = the_webhook(alice)
    changed = browser.post(
        address("webhook", webhook), {"url": "https://8.8.8.8/", "events": ["task.done"]}, follow=True
    )
    assert "The webhook is saved." in changed.content.decode()
    assert (the_webhook(alice).url, the_webhook(alice).events) == ("https://8.8.8.8/", ["task.done"])
    refused = browser.post(address("webhook", webhook), {"url": "https://10.0.0.5/", "events": ["task.done"]})
    assert refused.status_code == 400
    assert the_webhook(alice).url == "https://8.8.8.8/"


def test_one_that_is_off_is_sent_nothing(alice: User, browser: Client, receiver: WebhookReceiver) -> None:
    add(browser, receiver.url)
    webhook = the_webhook(alice)
    press(browser, "webhook_test", webhook)
    assert "The webhook is off" in press(browser, "webhook_switch", webhook)
    assert "Switch it on first." in press(browser, "webhook_test", webhook)
    drain()
    assert receiver.told == []
    assert "The webhook is on." in press(browser, "webhook_switch", webhook)


def test_what_was_learned_is_sent_again_only_with_consent(
    alice: User, browser: Client, receiver: WebhookReceiver
) -> None:
    add(browser, receiver.url, "memory.learned")
    webhook, now = the_webhook(alice), timezone.now()
    with acting_as(alice.pk):
        told = WebhookDelivery.objects.create(
            user=alice, webhook=webhook, event=WebhookEvent.MEMORY_LEARNED, subject_id=new_id(), state="delivered",
            give_up_at=now, created_at=now,
        )  # fmt: skip
    allow_nothing(alice)
    assert "allow me to learn from you" in press(browser, "webhook_resend", webhook, delivery_id=told.pk)
    drain()
    assert receiver.told == []


def test_deleting_asks_first_and_takes_the_list_along(alice: User, browser: Client, receiver: WebhookReceiver) -> None:
    add(browser, receiver.url)
    webhook = the_webhook(alice)
    press(browser, "webhook_test", webhook)
    assert "Forget this webhook?" in browser.get(address("webhook_forget", webhook)).content.decode()
    assert "The webhook is forgotten." in press(browser, "webhook_forget", webhook)
    with acting_as(alice.pk):
        assert not WebhookDelivery.objects.exists()


def test_deliveries_are_shown_a_page_at_a_time(alice: User, browser: Client, receiver: WebhookReceiver) -> None:
    add(browser, receiver.url)
    webhook, now = the_webhook(alice), timezone.now()
    with acting_as(alice.pk):
        WebhookDelivery.objects.bulk_create(
            WebhookDelivery(user=alice, webhook=webhook, event="task.done", subject_id=new_id(), state="delivered",
                            give_up_at=now, created_at=now)
            for _ in range(25)
        )  # fmt: skip
    first = browser.get(address("webhook", webhook)).content.decode()
    [older] = re.findall(r'href="(\?before=[^"]+)"', first)
    rest = browser.get(address("webhook", webhook) + older.replace("&amp;", "&")).content.decode()
    assert (first.count("/resend/"), rest.count("/resend/")) == (20, 5)
