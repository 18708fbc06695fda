"""What files say goes with them: passages, search entries and vectors; text in pictures and their thumbnails, too."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest
from django.utils import timezone

from consent.models import ErasureScope, Sources
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import ERASER_ROLE
from foundation.outbox.tasks import drain
from media import storage
from media.models import MediaPassage
from memory.erasure.expiry import delete_expired
from memory.indexing.documents import passage_document
from memory.indexing.embedding import index_now
from memory.models import SearchEntry, Session
from tests.media.attaching import ask_about, uploaded_saying
from tests.media.uploading import checked
from tests.support.cast import allow
from tests.support.made_files import image_file
from tests.support.needles import dump
from tests.support.talk import open_session

pytestmark = pytest.mark.django_db(transaction=True)
IN_TEXT, IN_PICTURE, BESIDE = "zqindocumentzq", "zqinpixelszq", "zqinanotherchatzq"


def test_forgetting_a_chat_forgets_what_its_files_say(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    notes = checked(alice, f"The harbour opens {IN_TEXT} at nine.".encode(), "notes.txt")
    poster = uploaded_saying(alice, image_file(IN_PICTURE), "poster.png", f"The harbour closes {IN_PICTURE} at six.")
    ask_about(alice, session, "What do my files say of the harbour?", notes, poster)
    other = checked(alice, f"The harbour rests {BESIDE} on Sundays.".encode(), "other.txt")
    ask_about(alice, open_session(alice), "And what does this one say?", other)
    before = dump()
    assert all(needle in before for needle in (IN_TEXT, IN_PICTURE, BESIDE))

    with acting_as(alice.pk):
        forget(alice, ErasureScope.SESSION, str(session.pk), Sources.REDACT, source="web")
        assert not MediaPassage.objects.exclude(media_id=other.pk).exists(), "they are hidden at once"
    drain()

    after = dump()
    assert IN_TEXT not in after
    assert IN_PICTURE not in after
    assert BESIDE in after
    with acting_as(alice.pk):
        passages = set(MediaPassage.objects.values_list("pk", flat=True))
        assert set(SearchEntry.objects.filter(kind="document").values_list("pk", flat=True)) == passages
    assert not storage.objects_of(alice.pk, [notes.pk, poster.pk])
    assert storage.objects_of(alice.pk, [other.pk])


def test_a_file_that_only_a_temporary_chat_still_uses_is_not_found_any_more(alice: User) -> None:
    allow(alice)
    first, temporary = open_session(alice), open_session(alice, remember=False)
    notes = checked(alice, f"The harbour opens {IN_TEXT} at nine.".encode(), "notes.txt")
    for session in (first, temporary):
        ask_about(alice, session, "What do my notes say of the harbour?", notes)
    assert entries(alice) == passages(alice) != set()

    with acting_as(alice.pk):
        forget(alice, ErasureScope.SESSION, str(first.pk), Sources.REDACT, source="web")
    drain()
    assert passages(alice), "the temporary chat still has the file"
    assert entries(alice) == set()


def test_a_file_that_another_chat_teaches_from_is_still_found(alice: User) -> None:
    allow(alice)
    first, other = open_session(alice), open_session(alice)
    notes = checked(alice, f"The harbour opens {IN_TEXT} at nine.".encode(), "notes.txt")
    for session in (first, other):
        ask_about(alice, session, "What do my notes say of the harbour?", notes)

    with acting_as(alice.pk):
        forget(alice, ErasureScope.SESSION, str(first.pk), Sources.REDACT, source="web")
    drain()
    assert entries(alice) == passages(alice) != set()


def test_entries_go_with_a_file_whose_last_chat_is_over(alice: User) -> None:
    allow(alice)
    temporary = open_session(alice, remember=False)
    notes = checked(alice, f"The harbour opens {IN_TEXT} at nine.".encode(), "notes.txt")
    ask_about(alice, temporary, "What do my notes say of the harbour?", notes)
    with acting_as(alice.pk):
        index_now([passage_document(passage) for passage in MediaPassage.objects.all()])
        with in_role(ERASER_ROLE):
            Session.objects.filter(pk=temporary.pk).update(expires_at=timezone.now() - timedelta(minutes=1))

    delete_expired()

    assert (passages(alice), entries(alice)) == (set(), set())
    assert IN_TEXT not in dump()


def passages(user: User) -> set[UUID]:
    with acting_as(user.pk):
        return set(MediaPassage.objects.values_list("pk", flat=True))


def entries(user: User) -> set[UUID]:
    with acting_as(user.pk):
        return set(SearchEntry.objects.filter(kind="document").values_list("pk", flat=True))
