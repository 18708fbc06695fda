"""What files say goes with them: passages, search entries and vectors; text in pictures and their thumbnails, too."""

from __future__ import annotations

import pytest

from consent.models import ErasureScope, Sources
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from media import storage
from media.models import MediaPassage
from memory.models import SearchEntry
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
