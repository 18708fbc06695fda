"""Whatever is sent, the answer is a page in plain words, and nothing half-done stays behind."""

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from foundation.accounts.models import User
from memory.models import MemoryItem
from tests.support.cast import PASSWORD, allow
from tests.web.support import chat_of, memory_of, said_in, signed_in

NUL = "a\x00b"
TOO_LONG = "字" * (settings.MAX_MESSAGE_CHARS + 1)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("content", ["", "   ", NUL, TOO_LONG])
def test_a_message_that_cannot_be_is_given_back_and_not_stored(alice: User, content: str) -> None:
    allow(alice)
    session = chat_of(alice)
    address = reverse("web:chat_send", args=[session.pk])
    page = signed_in(alice).post(address, {"content": content})
    assert page.status_code == 400
    assert page.context["draft"] == content.replace("\x00", "")
    streamed = signed_in(alice).post(address + "?stream=true", {"content": content})
    assert (streamed.status_code, streamed.json()["code"]) == (400, "validation_error")
    assert said_in(alice, session) == []


@pytest.mark.parametrize("content", ["", NUL, "x" * 2_001])
def test_a_correction_that_cannot_be_changes_nothing(alice: User, content: str) -> None:
    allow(alice)
    item = memory_of(alice, "Alice follows BTC")
    answer = signed_in(alice).post(reverse("web:memory_correct", args=[item.pk]), {"content": content})
    assert answer.status_code == 400
    page = signed_in(alice).get(reverse("web:memory", args=[item.pk]))
    assert page.context["memory"]["state"] == MemoryItem.State.ACTIVE


@pytest.mark.parametrize(
    "query",
    ["?q=%00", "?state=nonsense", "?memory_type=%00", "?before=nonsense", "?after=2026-01-01~x", "?before=%00~%00",
     "?before=2026-01-01T00:00:00~018f0000-0000-7000-8000-000000000000", "?q=" + "x" * 5000],
)  # fmt: skip
@pytest.mark.parametrize("name", ["memories", "events", "portraits", "chat"])
def test_an_address_that_makes_no_sense_narrows_nothing(alice: User, name: str, query: str) -> None:
    allow(alice)
    assert signed_in(alice).get(reverse(f"web:{name}") + query).status_code == 200


@pytest.mark.parametrize(
    "query", ["?earlier_than=x", "?earlier_than=-1", "?earlier_than=" + "9" * 40, "?earlier_than=%00"]
)
def test_a_mangled_place_in_a_chat_shows_its_latest_messages(alice: User, query: str) -> None:
    allow(alice)
    session = chat_of(alice, "I follow BTC")
    page = signed_in(alice).get(reverse("web:chat_session", args=[session.pk]) + query)
    assert page.status_code == 200


def test_an_event_id_may_hold_anything(alice: User) -> None:
    allow(alice)
    for address in ("/events/a/b:1/", "/events/%00/", "/events/%E4%BD%A0%E5%A5%BD/", "/events/..%2F..%2Fx/"):
        assert signed_in(alice).get(address).status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize(
    "fields",
    [
        {"username": "", "password": PASSWORD},
        {"username": NUL, "password": PASSWORD},
        {"username": "alice", "password": "short"},
        {"username": "alice", "password": NUL * 8},
        {"username": "a" * 61, "password": PASSWORD},
        {"username": "al ice<script>", "password": PASSWORD},
    ],
)
def test_a_sign_up_that_cannot_be_makes_no_account(client: Client, fields: dict[str, str]) -> None:
    answer = client.post(reverse("web:sign_up"), fields)
    assert answer.context["form"].errors
    assert not User.objects.exists()


@pytest.mark.django_db
def test_a_time_zone_nobody_knows_becomes_utc(client: Client) -> None:
    client.post(reverse("web:sign_up"), {"username": "alice", "password": PASSWORD, "time_zone": "Mars/Olympus"})
    assert User.objects.get().time_zone == "UTC"


def test_a_settings_section_nobody_knows_saves_nothing(alice: User) -> None:
    allow(alice)
    answer = signed_in(alice).post(reverse("web:settings"), {"section": "\x00"})
    assert answer["Location"] == reverse("web:settings")


def test_a_refused_name_is_not_shown_as_saved(alice: User) -> None:
    allow(alice)
    fields = {"section": "account", "display_name": "x" * 61, "time_zone": "UTC", "language": "en"}
    answer = signed_in(alice).post(reverse("web:settings"), fields)
    assert answer.status_code == 400
    assert User.objects.get(pk=alice.pk).display_name == "Alice"
