"""Files are forgotten with the last message that has them, and looked for in the storage; an export holds them."""

from __future__ import annotations

import os
from io import BytesIO
from pathlib import Path
from uuid import uuid4
from zipfile import ZipFile

import pytest
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from consent.export.archive import write_archive
from consent.export.verification import verify_archive
from consent.models import ErasureScope, Sources, Tombstone
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from media import storage
from media.erasure_part import FILE, OBJECTS
from media.expiry import forget_with_messages
from media.models import MediaFile, MediaKey, MediaUse
from media.services import record_use
from media.sweep import sweep_media
from memory.models import ConversationEvent, Session
from tests.media.samples import photograph, picture
from tests.media.uploading import checked, upload
from tests.support.cast import allow
from tests.support.erasures import forgotten
from tests.support.talk import open_session, permit_of, say
from tests.web.support import signed_in as browser_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _decided(alice: User) -> None:
    allow(alice)


def _attached(user: User, media: MediaFile, text: str = "Look at this.") -> Session:
    """A conversation with one message that has the file."""
    session = open_session(user)
    say(user, session, text)
    with acting_as(user.pk):
        message = ConversationEvent.objects.filter(session_id=session.pk).earliest("seq")
        record_use(permit_of(user), [media.pk], session.pk, message.pk)
    return session


def _objects(user: User) -> list[str]:
    return storage.objects_of(user.pk)


def _files(user: User) -> list[str]:
    with acting_as(user.pk):
        return list(MediaFile.objects.values_list("name", flat=True))


def test_one_file_is_forgotten_with_its_thumbnail_and_proof(as_alice: APIClient, alice: User) -> None:
    made = upload(as_alice, picture(), "a.png")
    upload(as_alice, picture(color=(1, 1, 1)), "b.png")
    drain()
    assert len(_objects(alice)) == 4
    receipt = as_alice.delete(made["Location"])
    assert receipt.status_code == 202
    assert as_alice.get(made["Location"]).status_code == 404
    drain()
    assert _files(alice) == ["b.png"]
    assert len(_objects(alice)) == 2
    with acting_as(alice.pk):
        done = Tombstone.objects.get()
    assert done.state == "completed"
    assert done.deleted[OBJECTS] == 2
    assert done.deleted[FILE] == 1


def test_the_same_file_can_be_sent_again_after_it_was_forgotten(as_alice: APIClient, alice: User) -> None:
    made = upload(as_alice, picture())
    as_alice.delete(made["Location"])
    again = upload(as_alice, picture())
    drain()
    assert again.json()["media_id"] != made.json()["media_id"]
    assert len(_objects(alice)) == 2


def test_a_file_goes_with_the_last_conversation_that_has_it(alice: User) -> None:
    media = checked(alice, picture())
    first, second = _attached(alice, media), _attached(alice, media)
    assert forgotten(alice, ErasureScope.SESSION, str(first.pk)).state == "completed"
    assert len(_files(alice)) == 1
    assert len(_objects(alice)) == 2
    assert forgotten(alice, ErasureScope.SESSION, str(second.pk)).state == "completed"
    assert (_files(alice), _objects(alice)) == ([], [])
    with acting_as(alice.pk):
        assert not MediaUse.objects.exists()


def test_everything_learned_takes_files_with_the_messages_or_leaves_them_with_these(alice: User) -> None:
    _attached(alice, checked(alice, picture()))
    kept = forgotten(alice, ErasureScope.MEMORIES, sources=Sources.KEEP)
    assert len(_objects(alice)) == 2
    assert kept.certificate is not None
    assert {"place": FILE, "rows": 1, "reason": "choice"} in kept.certificate["kept"]
    assert forgotten(alice, ErasureScope.MEMORIES).state == "completed"
    assert (_files(alice), _objects(alice)) == ([], [])


def test_the_account_takes_files_keys_and_what_no_row_knows(alice: User, bob: User) -> None:
    allow(bob)
    checked(alice, photograph(), "a.jpg")
    checked(bob, photograph(), "a.jpg")
    storage.save(storage.name_of(alice.pk, uuid4(), storage.ORIGINAL), BytesIO(b"left over"))
    done = forgotten(alice, ErasureScope.ACCOUNT)
    assert done.state == "completed"
    assert _objects(alice) == []
    assert done.deleted[OBJECTS] == 3
    assert len(_objects(bob)) == 2
    with acting_as(alice.pk):
        assert not MediaKey.objects.exists()


def test_what_is_left_in_the_storage_fails_the_erasure(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    media = checked(alice, picture())
    monkeypatch.setattr("media.storage.remove", lambda *_: 0)
    done = forgotten(alice, ErasureScope.MEDIA, str(media.pk))
    assert done.state != "completed"
    assert len(_objects(alice)) == 2


def test_files_go_with_messages_whose_retention_is_over(alice: User) -> None:
    media = checked(alice, picture())
    session = _attached(alice, media)
    with acting_as(alice.pk):
        messages = list(ConversationEvent.objects.filter(session_id=session.pk).values_list("pk", flat=True))
        forget_with_messages(alice.pk, messages)
    assert (_files(alice), _objects(alice)) == ([], [])


def test_an_export_holds_the_files_as_they_are_kept(alice: User, tmp_path: Path) -> None:
    media = checked(alice, b"zqneedleqz in a text", "a.txt")
    checked(alice, picture() + b"Rar!\x1a\x07\x00")
    target = tmp_path / "archive.zip"
    with target.open("wb") as file, acting_as(alice.pk):
        write_archive(file, alice.pk, timezone.now(), lambda _: None)
    with ZipFile(target) as bundle:
        assert bundle.read(f"{alice.pk}/media/content/{media.pk}.txt") == b"zqneedleqz in a text"
        assert b"wrapped" not in bundle.read(f"{alice.pk}/media/files.jsonl")
        assert len([name for name in bundle.namelist() if "/media/content/" in name]) == 1
    verdict = verify_archive(target)
    assert verdict.is_sound, verdict.problems


def test_an_export_is_whole_without_a_file_whose_content_is_damaged(alice: User, tmp_path: Path) -> None:
    damaged, kept = checked(alice, b"One text.", "a.txt"), checked(alice, b"Another text.", "b.txt")
    storage.save(damaged.stored_name, BytesIO(b"\x00" * 60))
    target = tmp_path / "archive.zip"
    with target.open("wb") as file, acting_as(alice.pk):
        write_archive(file, alice.pk, timezone.now(), lambda _: None)
    with ZipFile(target) as bundle:
        assert [name.split("/")[-1] for name in bundle.namelist() if "/content/" in name] == [f"{kept.pk}.txt"]
        assert str(damaged.pk).encode() in bundle.read(f"{alice.pk}/media/files.jsonl")
    assert verify_archive(target).is_sound


def test_the_sweep_deletes_what_no_row_knows_and_nothing_else(alice: User, media_folder: Path) -> None:
    media = checked(alice, picture())
    lost = [storage.name_of(alice.pk, uuid4(), storage.ORIGINAL), storage.name_of(alice.pk, media.pk, storage.ORIGINAL)]
    for name in lost:
        storage.save(name, BytesIO(b"left over"))
    assert sweep_media() == 0  # one that is new may still get its row
    for path in media_folder.rglob("*"):
        if path.is_file():
            os.utime(path, (0, 0))
    assert sweep_media() == 2
    assert len(_objects(alice)) == 2


def test_the_page_asks_first_and_is_its_users_alone(alice: User, bob: User) -> None:
    allow(bob)
    media = checked(alice, picture(), "on the beach.png")
    address = reverse("web:forget_file", args=[media.pk])
    assert browser_of(bob).get(address).status_code == 404
    browser = browser_of(alice)
    assert "on the beach.png" in browser.get(address).content.decode()
    assert browser.post(address).status_code == 302
    assert _files(alice) == []
