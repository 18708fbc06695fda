"""Files that could not be checked or read are tried again by the sweep, ever less often."""

from __future__ import annotations

from datetime import timedelta
from io import BytesIO

import pytest
from django.utils import timezone
from pytest_django import Settings

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import WORKER_ROLE
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from media import scans, storage, sweep
from media.extraction import services as extraction
from media.extraction.isolation import extract_apart
from media.extraction.services import EXTRACT_TOPIC
from media.models import MediaFile, MediaPassage
from media.sandbox import SandboxUnavailable
from media.scanning.ports import ScannerInterrupted
from media.services import job_key
from media.sweep import requeue_unchecked, requeue_unread
from media.uploads import SCAN_TOPIC, receive
from tests.media.samples import picture
from tests.media.uploading import checked, content_of, reread
from tests.support.cast import allow

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _decided(alice: User) -> None:
    allow(alice)


def _is_now(media: MediaFile, **fields: object) -> None:
    with acting_as(media.user_id):
        MediaFile.objects.filter(pk=media.pk).update(**fields)


def _age(media: MediaFile, topic: str, *, hours: float, ended_before: float) -> None:
    """The file arrived so many hours ago, and its job ended later."""
    now = timezone.now()
    _is_now(media, created_at=now - timedelta(hours=hours))
    with in_role(WORKER_ROLE):
        jobs = OutboxMessage.objects.filter(pk=job_key(topic, media.pk))
        assert jobs.update(state="failed", finished_at=now - timedelta(hours=ended_before)) == 1


def _lose_jobs(media: MediaFile) -> None:
    """No job knows the file, which arrived two hours ago."""
    _is_now(media, created_at=timezone.now() - timedelta(hours=2))
    with in_role(WORKER_ROLE):
        OutboxMessage.objects.all().delete()


def test_a_file_whose_scan_was_lost_is_checked_again(alice: User) -> None:
    media = checked(alice, picture())
    _is_now(media, security_status="pending")
    _lose_jobs(media)
    assert (requeue_unchecked(), requeue_unchecked()) == (1, 0)
    drain()
    assert reread(media).security_status == "safe"


def test_a_file_that_no_scanner_checked_rests_as_long_as_it_was_old_and_is_checked_then(
    alice: User, settings: Settings
) -> None:
    settings.MEDIA_CLAMAV, settings.OUTBOX_MAX_ATTEMPTS = "/nowhere/clamd.sock", 1
    media = checked(alice, picture())
    assert media.security_status == "failed"
    _age(media, SCAN_TOPIC, hours=5, ended_before=2)
    assert requeue_unchecked() == 0
    _age(media, SCAN_TOPIC, hours=5, ended_before=3)
    settings.MEDIA_CLAMAV = ""
    assert (requeue_unchecked(), requeue_unchecked()) == (1, 0)
    drain()
    assert reread(media).security_status == "safe"


def test_a_safe_file_that_was_never_read_is_read(alice: User) -> None:
    media = checked(alice, b"Tea at five.", "a.txt")
    _is_now(media, text_state="waiting")
    _lose_jobs(media)
    assert (requeue_unread(), requeue_unread()) == (1, 0)


def test_a_reader_that_cannot_be_started_says_nothing_of_the_file(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise SandboxUnavailable("no process")

    with monkeypatch.context() as patched:
        patched.setattr("media.extraction.isolation.run_limited", fail)
        patched.setattr(extraction, "extract_apart", extract_apart)
        media = checked(alice, b"Tea at five.", "a.txt")
    assert media.text_state == "waiting"
    _age(media, EXTRACT_TOPIC, hours=5, ended_before=3)
    assert requeue_unread() == 1
    drain()
    assert reread(media).text_state == "read"


@pytest.mark.parametrize("looked_up_at_once", [1, 2, 1_000])
def test_a_sweep_queues_no_more_than_its_share(
    alice: User, monkeypatch: pytest.MonkeyPatch, looked_up_at_once: int
) -> None:
    monkeypatch.setattr(sweep, "MOST_REQUEUED", 1)
    monkeypatch.setattr(sweep, "LOOKED_UP_AT_ONCE", looked_up_at_once)
    files = [checked(alice, text, "a.txt") for text in (b"One.", b"Two.")]
    for media in files:
        _is_now(media, text_state="waiting")
        _lose_jobs(media)
    assert [requeue_unread() for _ in range(3)] == [1, 1, 0]


def test_a_check_that_is_interrupted_to_the_last_is_too_costly_and_made_anew_when_the_file_is_sent_again(
    alice: User, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ScannerInterrupted

    settings.OUTBOX_MAX_ATTEMPTS = 2
    with monkeypatch.context() as patched:
        patched.setattr(scans, "find_safe", fail)
        media = checked(alice, b"Tea at five.", "a.txt")
        assert (media.security_status, media.security_reason) == ("failed", "scanner_unavailable")
        settings.OUTBOX_RETRY_SECONDS = 0
        _age(media, SCAN_TOPIC, hours=5, ended_before=3)
        assert requeue_unchecked() == 1
        drain()
    assert (reread(media).security_reason, storage.objects_of(alice.pk)) == ("too_costly", [])
    again = checked(alice, b"Tea at five.", "a.txt")
    assert (again.pk, again.security_status, again.security_reason) == (media.pk, "safe", "")
    assert content_of(again) == b"Tea at five."


def test_what_the_storage_lost_is_stored_again(alice: User) -> None:
    media = receive(alice, [b"Tea at five."], "a.txt")
    storage.remove(alice.pk, [media.pk])
    drain()
    assert reread(media).security_reason == "content_gone"
    again = checked(alice, b"Tea at five.", "a.txt")
    assert (again.pk, again.security_status) == (media.pk, "safe")
    assert content_of(again) == b"Tea at five."


@pytest.mark.parametrize("change", ["lost", "exchanged"])
def test_a_safe_file_whose_content_is_gone_is_unread_and_read_when_it_is_sent_again(alice: User, change: str) -> None:
    media = checked(alice, b"Tea at five.", "a.txt")
    _is_now(media, text_state="waiting")
    with acting_as(alice.pk):
        MediaPassage.objects.all().delete()
    if change == "lost":
        storage.remove(alice.pk, [media.pk])
    else:
        storage.save(media.stored_name, BytesIO(b"something else"))
    _lose_jobs(media)
    assert requeue_unread() == 1
    drain()
    assert (reread(media).text_state, reread(media).unread_reason) == ("unread", "content_gone")
    again = checked(alice, b"Tea at five.", "a.txt")
    assert (again.pk, again.text_state, content_of(again)) == (media.pk, "read", b"Tea at five.")


def test_what_is_unsafe_for_good_stays_so(alice: User) -> None:
    content = picture() + b"Rar!\x1a\x07\x00"
    assert checked(alice, content).pk == checked(alice, content).pk
    assert storage.objects_of(alice.pk) == []
