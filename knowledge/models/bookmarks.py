"""The model of bookmarks: which knowledge entries a user wants to find again."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from foundation.ids import new_id
from foundation.personal_data import KeptFor, PersonalData


class Bookmark(models.Model):
    """A user's bookmark of a knowledge entry: the entry's id, never its words.

    The id is no foreign key: the bookmark of an entry that is gone stays until its user drops it, and says so.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    # No index of its own: those below begin with this column.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    knowledge_id = models.UUIDField()
    created_at = models.DateTimeField(auto_now_add=True)

    personal_data = PersonalData(export="knowledge/bookmarks.jsonl", kept=KeptFor.CHOICE)

    class Meta:
        ordering = ("-created_at",)
        verbose_name = _("bookmark")
        verbose_name_plural = _("bookmarks")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "knowledge_id"], name="one_bookmark_an_entry"),
        ]
        indexes: ClassVar = [models.Index(fields=["user", "-created_at", "-id"], name="bookmarks_of_a_user")]

    def __str__(self) -> str:
        return pgettext("row", "Bookmark %s") % self.pk
