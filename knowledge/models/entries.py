"""The model of an organisation's knowledge: facts, rules and tones, in versions."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.search import SearchVectorField
from django.core.validators import MaxLengthValidator
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext
from pgvector.django import HalfVectorField
from simple_history.models import HistoricalRecords

from consent.models import Erasable
from foundation.accounts.models import EXTERNAL_ID_CHARS, Tenant, User
from foundation.ids import new_id
from foundation.personal_data import ConsentScope, OnWithdrawal, PersonalData
from knowledge.querysets import KnowledgeEntryManager
from knowledge.types import NODE_CHARS, Platform

MAX_CHARS = 2_000


class KnowledgeEntry(Erasable):
    """One fact, rule or tone of an organisation. Written through ``knowledge.services`` and
    ``knowledge.promoted_entries`` alone.

    ``subject`` and ``slot`` say what a rule is about in the words memories use (``user`` and ``reply_style``): a rule
    overrules whatever a user's memory says about that. A ``role_rule`` says how to speak to users of some roles, and a
    ``platform_tone`` how to speak on some platforms; any other entry may be meant for some of them too. An entry that
    was promoted from a user's memory names that user in ``derived_from_user``, so that their withdrawal and their
    erasure reach it; other entries have no owner. ``vector`` is that of subject and text by the model ``model_id``;
    without one the words alone find the entry.
    """

    class Kind(models.TextChoices):
        RULE = "rule", _("Rule")
        ROLE_RULE = "role_rule", _("How to speak to a role")
        TONE = "tone", _("Tone")
        PLATFORM_TONE = "platform_tone", _("Tone of a platform")
        FACT = "fact", _("Fact")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    org_tiers = ArrayField(
        models.CharField(max_length=20, choices=Tenant.OrgTier.choices),
        default=list,
        blank=True,
        verbose_name=_("tiers"),
        help_text=_("Where it holds: brand_hq, regional_agent, franchise_store, separated by commas. Empty: all."),
    )
    roles = ArrayField(
        models.CharField(max_length=10, choices=User.Role.choices),
        default=list,
        db_default=[],
        blank=True,
        verbose_name=_("roles"),
        help_text=_("For whom it holds: owner, admin, editor, viewer, separated by commas. Empty: all."),
    )
    platforms = ArrayField(
        models.CharField(max_length=10, choices=Platform.choices),
        default=list,
        db_default=[],
        blank=True,
        verbose_name=_("platforms"),
        help_text=_("On which platforms it holds: web, api, openai, separated by commas. Empty: all."),
    )
    kind = models.CharField(max_length=20, choices=Kind.choices, default=Kind.FACT)
    subject = models.CharField(max_length=120, blank=True, help_text=_("Whom or what it is about."))
    slot = models.CharField(
        max_length=60,
        blank=True,
        help_text=_("For a rule that overrules memories: what of the subject it settles, such as reply_style."),
    )
    external_id = models.CharField(
        max_length=EXTERNAL_ID_CHARS,
        blank=True,
        default="",
        db_default="",
        help_text=_("The organisation's own id of it: an import with the same one changes this entry."),
    )
    text = models.TextField(validators=[MaxLengthValidator(MAX_CHARS)])
    terms = SearchVectorField(editable=False)
    vector = HalfVectorField(null=True, editable=False)
    model_id = models.CharField(max_length=80, blank=True, default="", db_default="", editable=False)
    graph_node_id = models.CharField(
        _("node"),
        max_length=NODE_CHARS,
        blank=True,
        default="",
        db_default="",
        help_text=_("The node of the organisation's graph that it is about, such as linen-jacket."),
    )
    source = models.CharField(max_length=200, blank=True, help_text=_("Where it is written, or who decided it."))
    valid_from = models.DateTimeField(_("valid from"), default=timezone.now)
    valid_to = models.DateTimeField(_("valid to"), null=True, blank=True)
    version = models.PositiveIntegerField(default=1, editable=False)
    derived_from_user = models.UUIDField(null=True, blank=True, editable=False)
    consent_version = models.PositiveIntegerField(default=0, editable=False)  # the user's it was made from, else 0
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    skip_history_when_saving: bool  # set on an entry that is never edited
    _history_user: User  # by whom a version is, where no request tells
    _change_reason: str
    state: str  # of EntryState, where the query asks ``with_state``

    objects = KnowledgeEntryManager()
    # An operator's account may be erased while what they wrote stays: the history stores only their id, no foreign key.
    history = HistoricalRecords(
        excluded_fields=["terms", "vector", "model_id", "tombstone_id"],
        cascade_delete_history=True,
        history_user_id_field=models.UUIDField(null=True, blank=True),
    )
    personal_data = PersonalData(
        owner="derived_from_user",
        scope=ConsentScope.MEMORY_LEARNING,
        on_withdrawal=OnWithdrawal.DELETE,  # at once, because others read it
        export="knowledge/promoted.jsonl",
        withheld=("terms", "vector", "model_id"),
    )

    class Meta:
        ordering = ("-updated_at",)
        verbose_name = _("knowledge entry")
        verbose_name_plural = _("knowledge")
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(valid_to=None) | Q(valid_to__gte=F("valid_from")), name="knowledge_validity_forward"
            ),
            models.UniqueConstraint(
                fields=["tenant", "external_id"], condition=~Q(external_id=""), name="one_entry_an_external_id"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["tenant", "-updated_at"], name="knowledge_of_a_tenant"),
            models.Index(
                fields=["derived_from_user"], name="knowledge_made_from", condition=Q(derived_from_user__isnull=False)
            ),
            # Finds entries embedded by another model or by none, quickly also where there are none.
            models.Index(fields=["model_id"], name="knowledge_by_model"),
        ]

    def __str__(self) -> str:
        return pgettext("row", "Knowledge %s") % self.pk

    @property
    def is_promoted(self) -> bool:
        """Whether it was made from a user's memory, who alone takes it back."""
        return self.derived_from_user is not None

    def has_ended(self, at: datetime) -> bool:
        """Whether it holds no longer at ``at``; one that ends as it begins never holds."""
        return self.valid_to is not None and self.valid_to <= max(at, self.valid_from)

    def differing(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Those of ``fields`` in which it says something else."""
        return {name: value for name, value in fields.items() if getattr(self, name) != value}
