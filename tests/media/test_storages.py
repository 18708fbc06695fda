"""A bucket of S3's protocol holds files as a folder does; keys are changed by a command."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from io import BytesIO
from uuid import uuid4

import boto3
import pytest
from django.core.management import CommandError, call_command
from moto import mock_aws
from pytest_django import Settings

from consent.models import ErasureScope, Sources, Tombstone
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from media import storage
from media.checks import files_can_be_stored
from media.models import MediaKey
from media.sweep import sweep_media
from tests.media.samples import photograph, wav
from tests.media.uploading import checked, content_of
from tests.support.cast import allow

BUCKET = "files-of-finclaw"


@pytest.fixture
def bucket(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An empty bucket, in this process."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "none")
    with mock_aws():
        boto3.client("s3", region_name="us-east-1").create_bucket(Bucket=BUCKET)
        options = {"bucket_name": BUCKET, "region_name": "us-east-1", "default_acl": None, "file_overwrite": True}
        kept = {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}
        settings.STORAGES = {**settings.STORAGES, "media": kept}
        yield


@pytest.mark.django_db(transaction=True)
def test_a_bucket_holds_files_and_forgets_them(alice: User, bucket: None) -> None:
    allow(alice)
    media = checked(alice, photograph(), "a.jpg")
    assert media.security_status == "safe"
    assert content_of(media).startswith(b"\xff\xd8")
    names = storage.objects_of(alice.pk)
    assert sorted(name.rpartition("/")[2] for name in names) == ["clean", "thumbnail"]
    assert list(storage.user_ids()) == [alice.pk]
    assert storage.objects_of(uuid4()) == []
    with pytest.raises(FileNotFoundError):
        storage.open_object(f"{alice.pk}/{uuid4()}/original").read()
    assert sweep_media() == 0
    storage.save(names[0], BytesIO(b"in the place of the other"))
    assert len(storage.objects_of(alice.pk)) == 2
    with acting_as(alice.pk):
        forget(alice, ErasureScope.MEDIA, str(media.pk), Sources.REDACT, source="api")
    drain()
    with acting_as(alice.pk):
        assert Tombstone.objects.get().state == "completed"
    assert storage.objects_of(alice.pk) == []


@pytest.mark.django_db(transaction=True)
def test_the_command_encrypts_every_users_key_anew(alice: User, bob: User, settings: Settings) -> None:
    for user in (alice, bob):
        allow(user)
    kept = [checked(user, wav(), "a.wav") for user in (alice, bob)]
    settings.MEDIA_FORMER_KEYS, settings.MEDIA_KEY = [settings.MEDIA_KEY], "n" * 40
    call_command("rewrap_media_keys")
    settings.MEDIA_FORMER_KEYS = []
    assert [content_of(media) for media in kept] == [wav(), wav()]


@pytest.mark.django_db(transaction=True)
def test_a_key_that_no_setting_opens_keeps_no_other_from_being_encrypted_anew(
    alice: User, bob: User, settings: Settings
) -> None:
    for user in (alice, bob):
        allow(user)
    first, second = sorted((alice, bob), key=lambda user: user.pk)
    kept = [checked(user, wav(), "a.wav") for user in (first, second)]
    with acting_as(first.pk):
        MediaKey.objects.filter(pk=first.pk).update(wrapped_key=b64encode(bytes(60)).decode())
    settings.MEDIA_FORMER_KEYS, settings.MEDIA_KEY = [settings.MEDIA_KEY], "n" * 40
    with pytest.raises(CommandError, match="1 keys fit neither"):
        call_command("rewrap_media_keys")
    settings.MEDIA_FORMER_KEYS = []
    assert content_of(kept[1]) == wav()


def test_a_key_that_is_too_short_and_a_library_that_is_missing_are_told(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert files_can_be_stored() == []
    settings.MEDIA_KEY, settings.MEDIA_STORAGE = "short", "s3"
    monkeypatch.setattr("media.checks.find_spec", lambda _: None)
    assert [message.id for message in files_can_be_stored()] == ["media.E001", "media.E002"]
