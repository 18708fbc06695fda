"""A file whose reading took too long is read once more, with more time, when its user asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import Mock, patch

import pytest
from django.urls import reverse
from pytest_django import Settings
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE, WORKER_ROLE
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from media.extraction import services as extraction
from media.extraction.services import EXTRACT_TOPIC
from media.extraction.types import ExtractedText, ExtractionFailed, ExtractionInterrupted, Unread
from media.models import MediaFile, MediaPassage
from media.services import job_key
from media.uploads import receive
from tests.media.attaching import ask_about
from tests.media.uploading import checked, reread
from tests.support.cast import allow
from tests.support.talk import open_session
from tests.web.support import signed_in as browser_of

pytestmark = pytest.mark.django_db(transaction=True)
TEXT = ExtractedText(("The bridge was closed in March.",), ("reader",))
TOO_SLOW = ExtractionFailed(Unread.TOO_SLOW)


@pytest.fixture(autouse=True)
def _decided(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)


@contextmanager
def reader_that(*finds: ExtractedText | ExtractionFailed) -> Iterator[Mock]:
    """The reader finds this, one after the other."""
    with patch.object(extraction, "extract_apart", side_effect=finds) as reader:
        yield reader


def unread(user: User, reason: Unread = Unread.TOO_SLOW) -> MediaFile:
    with reader_that(ExtractionFailed(reason)):
        return checked(user, b"Tea at five.", "tea.txt")


def address_of(media: MediaFile) -> str:
    return reverse("api:media_reading", args=[media.pk])


def test_it_is_read_once_more_with_more_time(alice: User, as_alice: APIClient, settings: Settings) -> None:
    media = unread(alice)
    assert as_alice.get(reverse("api:media_file", args=[media.pk])).json()["can_be_read_again"] is True
    answer = as_alice.post(address_of(media))
    assert (answer.status_code, answer.json()["text_state"], answer.json()["unread_reason"]) == (202, "waiting", "")
    with reader_that(TEXT) as reader:
        drain()
    limits = reader.call_args.args[2]
    assert (limits.cpu_seconds, limits.seconds) == (settings.MEDIA_READ_AGAIN_SECONDS, 280)
    with acting_as(alice.pk):
        assert [row.text for row in MediaPassage.objects.filter(media=media)] == [TEXT.text]
    again = as_alice.post(address_of(media))
    assert (again.status_code, again.json()["code"]) == (409, "media_not_read_again")


def test_asking_again_while_it_is_read_changes_nothing(alice: User, as_alice: APIClient) -> None:
    media = unread(alice)
    answers = [as_alice.post(address_of(media)) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [202, 202, 202]
    with reader_that(TEXT) as reader:
        drain()
    assert reader.call_count == 1
    with in_role(OPERATOR_ROLE):
        assert OutboxMessage.objects.get(pk=job_key(EXTRACT_TOPIC, media.pk)).state == "done"


def test_a_reading_whose_job_was_lost_is_queued_again(alice: User, as_alice: APIClient) -> None:
    media = unread(alice)
    as_alice.post(address_of(media))
    with in_role(WORKER_ROLE):
        OutboxMessage.objects.filter(pk=job_key(EXTRACT_TOPIC, media.pk)).update(state="failed")
    assert as_alice.post(address_of(media)).status_code == 202
    with reader_that(TEXT):
        drain()
    assert reread(media).text_state == "read"


def test_a_second_reading_that_takes_too_long_is_the_last(alice: User, as_alice: APIClient) -> None:
    media = unread(alice)
    as_alice.post(address_of(media))
    with reader_that(TOO_SLOW):
        drain()
    known = as_alice.get(reverse("api:media_file", args=[media.pk])).json()
    assert (known["unread_reason"], known["can_be_read_again"]) == ("too_slow", False)
    assert as_alice.post(address_of(media)).status_code == 409


@pytest.mark.parametrize("reason", [Unread.TOO_LARGE, Unread.DAMAGED, Unread.NO_TEXT])
def test_what_time_does_not_mend_is_not_read_again(alice: User, as_alice: APIClient, reason: Unread) -> None:
    media = unread(alice, reason)
    assert as_alice.post(address_of(media)).status_code == 409
    assert reread(media).unread_reason == reason


def test_a_file_that_is_being_checked_or_was_refused_is_not_read(alice: User, as_alice: APIClient) -> None:
    waiting = receive(alice, [b"Tea at six."], "a.txt")
    refused = checked(alice, b"PK\x03\x04 no archive", "a.docx")
    assert [as_alice.post(address_of(media)).status_code for media in (waiting, refused)] == [409, 409]


def test_nobody_else_has_it_read(alice: User, as_bob: APIClient, as_charlie: APIClient) -> None:
    media = unread(alice)
    assert as_bob.post(address_of(media)).status_code == 404
    assert as_charlie.post(address_of(media)).status_code == 403
    assert as_bob.get(address_of(media)).status_code == 405
    chat = open_session(alice)
    page = reverse("web:file_read_again", args=[chat.pk, media.pk])
    assert browser_of(alice).get(page).status_code == 405
    with acting_as(alice.pk):
        assert reread(media).text_state == "unread"


def test_it_counts_like_an_upload(alice: User, as_alice: APIClient, settings: Settings) -> None:
    media = unread(alice)
    with (
        patch("finclaw.api.media_files.MediaThrottle.allow_request", return_value=False),
        patch("finclaw.api.media_files.MediaThrottle.wait", return_value=60),
    ):
        assert as_alice.post(address_of(media)).status_code == 429


def test_a_reading_that_the_clock_ended_is_tried_once_more_by_itself(alice: User, settings: Settings) -> None:
    settings.OUTBOX_RETRY_SECONDS = 0
    with reader_that(ExtractionInterrupted(), TEXT) as reader:
        media = checked(alice, b"Tea at five.", "tea.txt")
    assert (media.text_state, reader.call_count) == ("read", 2)


def test_one_that_the_clock_ends_twice_took_too_long(alice: User, settings: Settings) -> None:
    settings.OUTBOX_RETRY_SECONDS = 0
    with reader_that(ExtractionInterrupted(), ExtractionInterrupted(), TEXT) as reader:
        media = checked(alice, b"Tea at five.", "tea.txt")
    assert (media.text_state, media.unread_reason, reader.call_count) == ("unread", "too_slow", 2)


def test_the_chat_offers_it_while_it_helps(alice: User, bob: User) -> None:
    media, chat = unread(alice), open_session(alice)
    ask_about(alice, chat, "When was it closed?", media)
    browser, page = browser_of(alice), reverse("web:chat_session", args=[chat.pk])
    again = reverse("web:file_read_again", args=[chat.pk, media.pk])
    assert again in browser.get(page).content.decode()
    assert browser_of(bob).post(again).status_code == 404
    shown = browser.post(again, follow=True).content.decode()
    assert "I read the file once more. That may take some minutes." in shown
    assert "Being read" in shown
    assert again not in shown
