"""What files say becomes searchable batch by batch, under the consent that it was stored and is used under."""

from __future__ import annotations

import pytest

from consent import services as consent
from consent.permit import Permit
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.personal_data import ConsentScope
from media.models import MediaFile, MediaPassage
from memory.indexing import file_texts
from memory.models import SearchEntry
from tests.media.attaching import ask_about, uploaded_saying
from tests.support.cast import allow
from tests.support.talk import open_session

pytestmark = pytest.mark.django_db
PAGES = tuple(f"On page {number} the harbour bridge is closed." for number in range(1, 8))


def entries_of(user: User) -> list[SearchEntry]:
    with acting_as(user.pk):
        return list(SearchEntry.objects.filter(kind=SearchEntry.Kind.DOCUMENT))


def report_of(user: User) -> MediaFile:
    return uploaded_saying(user, b"A report", "report.txt", *PAGES)


def test_what_was_stored_before_a_withdrawal_is_not_found_after_a_new_grant(alice: User) -> None:
    allow(alice)
    report = report_of(alice)
    allow(alice, ConsentScope.SAVE_TO_THREAD)
    allow(alice)

    ask_about(alice, open_session(alice), "Keep this report in mind", report)

    with acting_as(alice.pk):
        assert MediaPassage.objects.count() == len(PAGES)
    assert entries_of(alice) == []


def test_each_batch_is_stored_by_itself_and_judged_later(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(alice)
    report = report_of(alice)
    asked: list[int | None] = []

    def withdrawn_at_the_third(user_id: object, since: int | None = None) -> Permit | None:
        asked.append(since)
        return consent.learning_permit(alice.pk, since) if len(asked) < 3 else None

    monkeypatch.setattr(file_texts, "BATCH", 2)
    monkeypatch.setattr(file_texts, "learning_permit", withdrawn_at_the_third)
    ask_about(alice, open_session(alice), "Keep this report in mind", report)

    entries = entries_of(alice)
    assert len(entries) == 4, "of seven passages two batches"
    assert {entry.judged_by for entry in entries} == {""}, "no text is judged while the user is locked"
    assert all(entry.model_id for entry in entries), "they are embedded by jobs of their own"
    assert set(asked) == {1}
