"""Defines versions of the prompt: words of operators that instruct the model in place of the shipped ones."""

from __future__ import annotations

from typing import ClassVar, Final

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from foundation.ids import new_id

FIRST_NUMBER: Final = 2
"""The number of the first version that operators write; those that are shipped are 1, 1.1 and so on."""


class PromptGuide(models.TextChoices):
    """The parts of a prompt that say how to answer. The safety policy is none of them: it never varies."""

    ANSWER = "answer", pgettext_lazy("guide", "In which language and tone to answer")
    MEMORY = "memory", pgettext_lazy("guide", "How to use memories")
    PROGRAM = "program", pgettext_lazy("guide", "How to take a program's instructions")
    END_OF_TURN = "end_of_turn", pgettext_lazy("guide", "What to write down at the end")
    SMALL_TALK = "small_talk", pgettext_lazy("guide", "For small talk")
    RESEARCH = "research", pgettext_lazy("guide", "For advice")
    CORRECTION = "correction", pgettext_lazy("guide", "For a correction")
    MEMORY_CHECK = "memory_check", pgettext_lazy("guide", "For questions about what is remembered")


class PromptVersion(models.Model):
    """One version; it never changes and is never deleted, so that receipts which name it can be read for ever.

    ``guides`` holds the text of each guide that differs from the shipped one, ``shipped`` is the version of those it
    stands beside, and ``based_on`` the version from which it was written.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    number = models.PositiveIntegerField(_("version"), unique=True)
    guides = models.JSONField(_("guides"))
    note = models.CharField(_("what is different, and why"), max_length=200)
    based_on = models.CharField(_("written from version"), max_length=20)
    shipped = models.CharField(_("beside the shipped version"), max_length=20)
    created_by = models.UUIDField()
    created_at = models.DateTimeField(_("written at"), auto_now_add=True)

    class Meta:
        ordering = ("-number",)
        verbose_name = _("version of the prompt")
        verbose_name_plural = _("versions of the prompt")
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(number__gte=FIRST_NUMBER), name="prompt_version_is_no_shipped_one"
            )
        ]

    def __str__(self) -> str:
        return str(self.number)
