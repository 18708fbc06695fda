"""Models of the files that users upload: the file, the messages that use it, and the user's key that encrypts it."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from consent.models import Erasable
from consent.querysets import VisibleManager
from foundation.ids import new_id
from foundation.personal_data import KeptFor, PersonalData

NAME_CHARS = 120


class MediaKey(models.Model):
    """The key of one user's files, itself encrypted with the installation's. Without it nothing of theirs can be read,
    wherever a copy of the storage lies.
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="+")
    wrapped_key = models.CharField(max_length=120)  # base64
    created_at = models.DateTimeField(auto_now_add=True)

    personal_data = PersonalData(kept=KeptFor.ACCESS)

    class Meta:
        verbose_name = _("key of files")
        verbose_name_plural = _("keys of files")

    def __str__(self) -> str:
        return pgettext("row", "Key of %s") % self.user_id


class MediaFile(Erasable):
    """An uploaded file. Its content lies encrypted in the storage of ``media/storage.py``, under the user's id and its
    own; that of an unsafe one is gone.
    """

    class Kind(models.TextChoices):
        IMAGE = "image", _("Picture")
        DOCUMENT = "document", _("Document")
        AUDIO = "audio", _("Recording")
        TEXT = "text", _("Text")

    class SecurityStatus(models.TextChoices):
        PENDING = "pending", _("Being checked")
        SAFE = "safe", _("Safe")
        UNSAFE = "unsafe", _("Refused")
        FAILED = "failed", _("Not checked")

    class TextState(models.TextChoices):
        WAITING = "waiting", _("Being read")
        READ = "read", _("Read")
        UNREAD = "unread", _("Not read")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)  # ``media_id`` outside
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    name = models.CharField(max_length=NAME_CHARS)
    kind = models.CharField(max_length=8, choices=Kind.choices)
    media_type = models.CharField(max_length=100)  # by its content
    size = models.PositiveBigIntegerField()  # bytes, as uploaded
    sha256 = models.CharField(max_length=64)  # as uploaded
    security_status = models.CharField(max_length=7, choices=SecurityStatus.choices, default=SecurityStatus.PENDING)
    security_reason = models.CharField(max_length=40, blank=True)  # a code of ``media/scanning/types.py``
    scanned_at = models.DateTimeField(null=True, blank=True)
    stored_name = models.CharField(max_length=120, blank=True)  # in the storage; empty once nothing is kept
    stored_size = models.PositiveBigIntegerField(default=0)  # bytes of what is kept, which may be a cleaned copy
    has_thumbnail = models.BooleanField(default=False)
    width = models.PositiveIntegerField(null=True, blank=True)
    height = models.PositiveIntegerField(null=True, blank=True)
    pages = models.PositiveIntegerField(null=True, blank=True)
    wrapped_key = models.CharField(max_length=120)  # base64; encrypted with the user's
    text_fallback = models.TextField(blank=True)  # what it says in words, for whoever cannot see or hear it
    text_state = models.CharField(
        max_length=7, choices=TextState.choices, default=TextState.WAITING, db_default=TextState.WAITING
    )
    unread_reason = models.CharField(max_length=20, blank=True, default="", db_default="")  # see ``Unread``
    text_is_cut = models.BooleanField(default=False, db_default=False)  # more stands in it than was read
    is_second_reading = models.BooleanField(default=False, db_default=False)  # its user asked for one, with more time
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[VisibleManager[MediaFile]] = VisibleManager()
    personal_data = PersonalData(
        export="media/files.jsonl", withheld=("wrapped_key", "stored_name"), kept=KeptFor.CHOICE
    )

    class Meta:
        ordering = ("-created_at",)
        verbose_name = _("file")
        verbose_name_plural = _("files")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["user", "sha256"], condition=models.Q(tombstone_id=None), name="one_file_of_the_same_bytes"
            )
        ]
        indexes: ClassVar = [
            models.Index(fields=["user", "-created_at", "-id"], name="files_of_a_user"),
            models.Index(  # of those that the sweep looks through
                fields=["id"],
                name="files_that_wait",
                condition=models.Q(security_status="pending")
                | models.Q(security_status="failed")
                | models.Q(security_status="safe", text_state="waiting"),
            ),
        ]

    def __str__(self) -> str:
        return pgettext("row", "File %s") % self.pk

    @property
    def is_safe(self) -> bool:
        """Whether it may be read, shown and sent on."""
        return self.security_status == self.SecurityStatus.SAFE


class MediaUse(Erasable):
    """One message that a file is part of; the file goes with the last of them that is erased.

    The ids are no foreign keys: conversations are none of this package's business.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    media = models.ForeignKey(MediaFile, on_delete=models.CASCADE, related_name="uses")
    session_id = models.UUIDField()
    message_id = models.UUIDField()
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[VisibleManager[MediaUse]] = VisibleManager()
    personal_data = PersonalData(export="media/uses.jsonl", kept=KeptFor.CHOICE)

    class Meta:
        ordering = ("created_at",)
        verbose_name = _("use of a file")
        verbose_name_plural = _("uses of files")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["message_id", "media"], name="one_use_of_a_file_in_a_message")
        ]
        indexes: ClassVar = [models.Index(fields=["user", "session_id"], name="uses_in_a_conversation")]

    def __str__(self) -> str:
        return pgettext("row", "Use of file %s") % self.media_id


class MediaPassage(Erasable):
    """A piece of the text that a file holds, in the order of the file: what the document says, never its user."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    media = models.ForeignKey(MediaFile, on_delete=models.CASCADE, related_name="passages", db_index=False)
    position = models.PositiveIntegerField()  # from 1
    page = models.PositiveIntegerField()  # from 1
    file_name = models.CharField(max_length=NAME_CHARS)
    text = models.TextField()
    consent_version = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[VisibleManager[MediaPassage]] = VisibleManager()
    personal_data = PersonalData(export="media/texts.jsonl", kept=KeptFor.CHOICE)

    class Meta:
        ordering = ("media_id", "position")
        verbose_name = _("passage of a file")
        verbose_name_plural = _("passages of files")
        constraints: ClassVar = [models.UniqueConstraint(fields=["media", "position"], name="one_passage_at_a_place")]
        indexes: ClassVar = [models.Index(fields=["user"], name="passages_of_a_user")]

    def __str__(self) -> str:
        return pgettext("row", "Passage %s") % self.pk
