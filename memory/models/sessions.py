"""Models of conversations and their messages."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from consent.models import Erasable
from consent.querysets import VisibleManager
from foundation.accounts.models import PROGRAM_NAME_CHARS, ChatGroup, validate_time_zone
from foundation.database.acting_program import ProgramOfTransaction
from foundation.ids import new_id
from foundation.personal_data import KeptFor, PersonalData
from memory.querysets import ConversationEventQuerySet


class Session(Erasable):
    """One conversation. A temporary one (``remember`` off) teaches nothing and is deleted after its TTL."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    group = models.ForeignKey(ChatGroup, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    thread = models.ForeignKey("memory.Thread", on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    title = models.CharField(max_length=120, blank=True)
    remember = models.BooleanField(default=True)
    time_zone = models.CharField(max_length=64, blank=True, validators=[validate_time_zone])
    location = models.CharField(max_length=120, blank=True)
    entity_slots = models.JSONField(default=dict, blank=True)
    summary_blocks = models.JSONField(default=list, blank=True)
    external_ref = models.CharField(max_length=200, blank=True)  # its id in the imported source
    program = models.CharField(max_length=PROGRAM_NAME_CHARS, blank=True, default="", db_default="")  # its token's name
    opened_by = models.UUIDField(null=True, editable=False, db_default=ProgramOfTransaction())  # the program's id
    history_hash = models.CharField(max_length=64, blank=True, default="", db_default="")  # of what its program knows
    awaited_tools = models.JSONField(default=dict, blank=True, db_default={})  # what its last answer waits for
    brought_by = models.UUIDField(null=True, blank=True)  # the import that began it (ChatImport)
    last_seq = models.PositiveIntegerField(default=0)
    summarized_seq = models.PositiveIntegerField(default=0)  # the last message that ``summary_blocks`` cover
    ended_seq = models.PositiveIntegerField(default=0, db_default=0)  # the last message handed to the historian
    turn_started_at = models.DateTimeField(null=True, blank=True)  # set while a reply is being made
    turn_process = models.UUIDField(null=True, blank=True)  # the ``ReplyProcess`` that makes the reply
    created_at = models.DateTimeField(auto_now_add=True)
    last_active_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    archived_at = models.DateTimeField(null=True, blank=True)

    finds_files: bool | None = None
    """Whether there are texts of files for its speaker to find; known once a turn began."""

    objects: ClassVar[VisibleManager[Session]] = VisibleManager()
    personal_data = PersonalData(
        export="sessions/sessions.json",
        withheld=(
            "opened_by",
            "last_seq",
            "history_hash",
            "summarized_seq",
            "ended_seq",
            "turn_started_at",
            "turn_process",
        ),
        shared=("title", "entity_slots", "summary_blocks", "awaited_tools"),
        kept=KeptFor.ORDER,
    )

    class Meta:
        ordering = ("-last_active_at",)
        verbose_name = _("conversation")
        indexes: ClassVar = [
            models.Index(fields=["user", "-last_active_at"], name="my_sessions"),
            models.Index(fields=["group", "-last_active_at"], name="group_sessions", condition=Q(group__isnull=False)),
            models.Index(fields=["user", "history_hash"], name="known_histories", condition=~Q(history_hash="")),
            models.Index(
                fields=["last_active_at"],
                name="sessions_to_write_up",
                condition=Q(group=None, remember=True, last_seq__gt=models.F("ended_seq")),
            ),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["user", "external_ref"], condition=~Q(external_ref=""), name="one_session_per_import"
            )
        ]

    def __str__(self) -> str:
        return pgettext("row", "Session %s") % self.pk

    @property
    def summaries_since(self) -> str:
        """When the oldest of its summaries was made, "" without any.

        It does not change as summaries are added or joined: a different value means that they were deleted since, for
        example by an erasure, and made again.
        """
        return self.summary_blocks[0]["created_at"] if self.summary_blocks else ""


class ReplyProcess(models.Model):
    """A process that makes replies, and until when it holds the conversations they belong to. It names nobody."""

    id = models.UUIDField(primary_key=True, editable=False)
    leased_until = models.DateTimeField()
    sessions = ArrayField(models.UUIDField(), default=list)

    def __str__(self) -> str:
        return str(self.pk)


class ConversationEvent(Erasable):
    """One raw message. Append-only by grants: the application's role can neither change nor delete it.

    ``content`` is an array of content blocks ``{"type": "text", "text": …}``. ``user`` is the message's author or, for
    an answer of the assistant, the user it answered: an answer is erased with its user's messages.
    """

    class Role(models.TextChoices):
        USER = "user", _("Person")
        ASSISTANT = "assistant", _("Assistant")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="events")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    group = models.ForeignKey(ChatGroup, on_delete=models.PROTECT, null=True, related_name="+")
    seq = models.PositiveIntegerField()
    role = models.CharField(max_length=10, choices=Role.choices)
    speaker = models.CharField(max_length=60)
    content = models.JSONField()
    content_schema_version = models.PositiveSmallIntegerField(default=1)
    external_ref = models.CharField(max_length=80, blank=True)
    learnable = models.BooleanField()  # consent and session allowed learning when it was said
    consent_version = models.PositiveIntegerField()
    occurred_at = models.DateTimeField()
    redacted_at = models.DateTimeField(null=True, blank=True)  # its words were erased
    replaces = models.UUIDField(null=True, blank=True)  # the answer that this one replaced, at the same ``seq``
    created_at = models.DateTimeField(auto_now_add=True)
    zone: str  # set on rows read ``with_clock``
    indexed: bool  # set on rows read as ``messages_with_neighbours``: whether it has a search entry

    objects = VisibleManager.from_queryset(ConversationEventQuerySet)()
    personal_data = PersonalData(export="sessions/messages.jsonl", memory="turn", kept=KeptFor.ORDER)

    class Meta:
        ordering = ("session_id", "seq")  # by id: a join would hide what was said in a group since left
        verbose_name = _("message")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["session", "seq", "replaces"], name="one_message_per_place", nulls_distinct=False
            )
        ]
        indexes: ClassVar = [
            models.Index(fields=["user", "-created_at"], name="my_messages"),
            models.Index(fields=["group", "-created_at"], name="group_messages", condition=Q(group__isnull=False)),
        ]

    def __str__(self) -> str:
        return pgettext("row", "Message %s") % self.pk

    @property
    def text(self) -> str:
        """The words of all blocks; a block without words is represented by its ``text_fallback``."""
        return text_of(self.content)

    @cached_property
    def program(self) -> str:
        """The name of the token through which the conversation was opened.

        Empty where there was none, and where the acting user has left the conversation's group and cannot see it.
        """
        return Session.objects.filter(pk=self.session_id).values_list("program", flat=True).first() or ""


def text_of(blocks: list[dict[str, Any]]) -> str:
    """The words of content blocks, one line a block."""
    return "\n".join(_words_of_block(block) for block in blocks if _words_of_block(block))


def _words_of_block(block: dict[str, Any]) -> str:
    return str(block.get("text") or block.get("text_fallback") or "")
