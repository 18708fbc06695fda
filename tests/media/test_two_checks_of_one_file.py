"""Two jobs that check one file at the same time lose nothing of it: the first to end decides."""

from __future__ import annotations

from contextlib import suppress
from unittest.mock import patch

import pytest

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox import services as outbox
from foundation.outbox.exceptions import LostLease
from foundation.outbox.jobs import Job
from foundation.outbox.leases import claim
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from media import scans, storage
from media.extraction.services import EXTRACT_TOPIC
from media.models import MediaFile
from media.scanning.ports import ScannerUnavailable
from media.scanning.types import CleanContent, InspectedFile, RefusalReason, Refused
from media.scans import remove_content
from media.uploads import SCAN_TOPIC, queue_scan, receive
from tests.media.samples import picture
from tests.media.uploading import content_of, reread
from tests.support.cast import allow

pytestmark = pytest.mark.django_db(transaction=True)

CLEAN = CleanContent(InspectedFile("image/png"), b"as it was cleaned")


@pytest.fixture(autouse=True)
def _decided(alice: User) -> None:
    allow(alice)
    drain()


def _claimed() -> Job:
    message = claim({EXTRACT_TOPIC})
    assert message is not None
    return Job(message)


def _scan(job: Job, *outcomes: CleanContent | Exception) -> None:
    with patch.object(scans, "find_safe", side_effect=outcomes):
        scans.scan(job)


def _jobs_of(user: User, topic: str) -> int:
    with acting_as(user.pk):
        return OutboxMessage.objects.filter(topic=topic).count()


def test_a_file_has_one_job_that_checks_it_and_gets_fresh_attempts_once_it_has_ended(alice: User) -> None:
    media = receive(alice, [picture()], "a.png")
    with acting_as(alice.pk):
        queue_scan(media)
    assert _jobs_of(alice, SCAN_TOPIC) == 1
    outbox.fail(_claimed().message, ScannerUnavailable(), final=True)
    assert claim() is None
    with acting_as(alice.pk):
        queue_scan(media)
    assert _claimed().payload == {"media": str(media.pk)}


@pytest.mark.parametrize("late", [CLEAN, Refused(RefusalReason.CONTENT_GONE), ScannerUnavailable()])
def test_what_a_late_job_finds_changes_nothing(alice: User, late: CleanContent | Exception) -> None:
    media = receive(alice, [picture()], "a.png")
    with acting_as(alice.pk):
        outbox.enqueue(SCAN_TOPIC, user_id=alice.pk, payload={"media": str(media.pk)})
    first, second = _claimed(), _claimed()

    def be_overtaken(*_: object) -> CleanContent:
        _scan(second, CLEAN)
        if isinstance(late, Exception):
            raise late
        return late

    with patch.object(scans, "find_safe", be_overtaken), suppress(ScannerUnavailable):
        scans.scan(first)
    assert (reread(media).security_status, content_of(reread(media))) == ("safe", b"as it was cleaned")
    assert storage.objects_of(alice.pk) == [reread(media).stored_name]
    assert _jobs_of(alice, EXTRACT_TOPIC) == 1


def test_what_is_sent_again_while_a_refused_copy_is_deleted_stays(alice: User) -> None:
    def send_again_first(refused: MediaFile) -> None:
        receive(alice, [b"Tea at five."], "a.txt")
        remove_content(refused)

    media = receive(alice, [b"Tea at five."], "a.txt")
    with patch.object(scans, "remove_content", send_again_first):
        _scan(_claimed(), Refused(RefusalReason.TOO_COSTLY))
    drain()
    assert (reread(media).security_status, content_of(reread(media))) == ("safe", b"Tea at five.")


def test_a_job_that_lost_its_lease_does_not_note_that_the_scanner_was_down(alice: User) -> None:
    media = receive(alice, [picture()], "a.png")
    job = _claimed()
    outbox.fail(job.message, ScannerUnavailable())
    with pytest.raises(LostLease):
        _scan(job, ScannerUnavailable())
    assert reread(media).security_status == "pending"


def test_a_cleaned_copy_that_is_checked_again_is_kept(alice: User) -> None:
    media = receive(alice, [picture()], "a.png")
    _scan(_claimed(), CLEAN)
    with acting_as(alice.pk):
        MediaFile.objects.filter(pk=media.pk).update(security_status="failed")
        queue_scan(media)
    _scan(_claimed(), CLEAN)
    assert content_of(reread(media)) == b"as it was cleaned"
