"""Models of receipts: which memories were found and used for an answer, and why, candidate by candidate."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from foundation.ids import new_id
from foundation.personal_data import KeptFor, OnErasure, PersonalData
from memory.models.sessions import Session

DETAILS_SCHEMA_VERSION = 3  # of a line: five fields and their extension


class Receipt(models.Model):
    """Which memories were found (retrieval) or put before the model (injection) for an answer, and why.

    Each answer has one receipt of either kind. Receipts hold ids and numbers, never text. ``budget`` maps slots of the
    prompt to tokens. If memory was not searched, ``unsearched_because`` says why, and the receipt is still complete. If
    what it explains is erased, it loses its user and conversation but keeps its figures
    (``memory/erasure/receipt_figures.py``).
    """

    class Kind(models.TextChoices):
        RETRIEVAL = "retrieval", _("Retrieval")
        INJECTION = "injection", _("Injection")

    class Unsearched(models.TextChoices):
        BOUNDARY = "boundary", _("a request to act, which is refused")
        ANSWERED_BY_RULE = "answered_by_rule", _("a rule answered it")
        CONSENT_MISSING = "consent_missing", _("remembering is not allowed")
        MEMORY_UNAVAILABLE = "memory_unavailable", _("memory could not be read in time")
        PERSONALIZATION_OFF = "personalization_off", _("personalization is switched off")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="+")
    session = models.ForeignKey(Session, on_delete=models.CASCADE, null=True, related_name="+")
    message_id = models.UUIDField()  # the reply it explains
    intent_type = models.CharField(max_length=20, blank=True)  # what was asked for, as the brain understood it
    strategy = models.CharField(max_length=12, blank=True)
    policy_version = models.CharField(max_length=20)
    details_schema_version = models.PositiveSmallIntegerField(default=DETAILS_SCHEMA_VERSION)
    latency_ms = models.FloatField(null=True, blank=True)
    unsearched_because = models.CharField(
        _("not searched because"), max_length=20, blank=True, default="", db_default="", choices=Unsearched.choices
    )  # "": memory was searched
    thresholds = models.JSONField(default=dict, db_default={}, blank=True)  # the least scores that fit, by name
    stores_used = ArrayField(models.CharField(max_length=20), default=list)
    degraded = ArrayField(models.CharField(max_length=40), default=list)
    budget = models.JSONField(default=dict)
    budget_exceeded = models.BooleanField(default=False)
    context_hash = models.CharField(max_length=64, blank=True)  # an HMAC of what was put before the model
    answered_by = models.CharField(  # the model's id; "" for an answer by rule or older than this field
        _("answered by"), max_length=80, blank=True, default="", db_default=""
    )
    prompt_version = models.CharField(  # of the guides the model was given; "" for a rule or older than this field
        _("version of the prompt"), max_length=20, blank=True, default="", db_default=""
    )
    # ``experiments``: variant by experiment id; ``prompt_version`` where one varies it; ``trace_id``. Nothing where the
    # user takes part in no experiment. ``follow_up``: the id of the question below.
    generation_metadata = models.JSONField(default=dict, db_default={}, blank=True)
    # The entries of the organisation's knowledge that stood in the prompt: no foreign keys, as they may be gone.
    knowledge_ids = ArrayField(models.UUIDField(), default=list, db_default=[], blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)  # when the reaction to the answer was counted
    consent_version = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    personal_data = PersonalData(
        export="receipts/receipts.jsonl",
        withheld=(
            "intent_type",
            "strategy",
            "policy_version",
            "details_schema_version",
            "latency_ms",
            "stores_used",
            "context_hash",
            "thresholds",
        ),
        compares=(("generation_metadata", ("experiments", "prompt_version", "trace_id")), ("prompt_version", ())),
        on_erasure=OnErasure.STRIP,
        kept=KeptFor.FIGURES,
        figures=(
            "kind",
            "intent_type",
            "strategy",
            "policy_version",
            "details_schema_version",
            "latency_ms",
            "unsearched_because",
            "thresholds",
            "stores_used",
            "degraded",
            "budget",
            "budget_exceeded",
            "answered_by",
            "prompt_version",
            "closed_at",
            "consent_version",
            "created_at",
        ),
    )

    class Meta:
        ordering = ("-created_at",)
        verbose_name = _("receipt")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["message_id", "kind"], name="one_receipt_of_a_kind_per_turn")
        ]
        indexes: ClassVar = [
            models.Index(fields=["user", "-created_at"], name="my_receipts"),
            BrinIndex(fields=["created_at"], name="receipts_by_time"),  # for the quality indicators of all users
            models.Index(
                fields=["created_at"],
                name="receipts_of_experiments",
                condition=models.Q(generation_metadata__has_key="experiments"),
            ),
            models.Index(
                fields=["created_at"], name="open_injections", condition=models.Q(kind="injection", closed_at=None)
            ),
        ]

    def __str__(self) -> str:
        return pgettext("row", "Receipt %s") % self.pk


class ReceiptLine(models.Model):
    """One candidate of a receipt: used or left out, why, and where it ranked."""

    class Status(models.TextChoices):
        ACCEPTED = "accepted", _("Used")
        REJECTED = "rejected", _("Left out")

    class Reason(models.TextChoices):
        RELEVANCE = "relevance", _("fits what was asked")
        RECENCY = "recency", _("recent")
        CONFIDENCE = "confidence", _("you told me so")
        BUDGET_EXCEEDED = "budget_exceeded", _("no room")
        BLOCKED = "blocked", _("blocked for safety")
        STATED = "stated", _("you set it yourself")
        OUTDATED = "outdated", _("out of date")
        CONFLICT = "conflict", _("your organisation's knowledge says otherwise")
        SUPERSEDED = "superseded", _("no longer holds")
        DUPLICATE = "duplicate", _("a memory says it already")
        STANDING = "standing", _("stands in every answer")
        LOOKED_UP = "looked_up", _("looked up for this answer")
        ATTACHED = "attached", _("you sent it with the message")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    receipt = models.ForeignKey(Receipt, on_delete=models.CASCADE, related_name="lines")
    # No database constraint: the receipt's foreign key suffices, and saves some thirty checks an answer.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="+", db_constraint=False
    )
    kind = models.CharField(max_length=10)  # item | event | turn | profile | context | document
    ref_id = models.UUIDField()
    rank = models.PositiveSmallIntegerField()
    status = models.CharField(max_length=10, choices=Status.choices)
    decision_reason = models.CharField(max_length=20, choices=Reason.choices)
    candidate_score = models.FloatField()
    signals = models.JSONField(default=dict)
    guardrail_hit = models.CharField(max_length=40, blank=True)  # the rule's id, or nothing
    context_position = models.PositiveSmallIntegerField(null=True, blank=True)
    sanitization_result = models.CharField(max_length=10, blank=True)  # pass | sanitized | blocked
    utilized = models.BooleanField(null=True, blank=True)
    utilization_signal = models.CharField(max_length=20, blank=True)
    user_feedback_signal = models.CharField(max_length=20, blank=True)

    personal_data = PersonalData(
        export="receipts/candidates.jsonl",
        withheld=("candidate_score", "signals", "guardrail_hit", "sanitization_result", "utilization_signal"),
        on_erasure=OnErasure.STRIP,
        kept=KeptFor.FIGURES,
        figures=(
            "kind",
            "rank",
            "status",
            "decision_reason",
            "candidate_score",
            "signals",
            "guardrail_hit",
            "context_position",
            "sanitization_result",
            "utilized",
            "utilization_signal",
            "user_feedback_signal",
        ),
    )

    class Meta:
        ordering = ("rank",)
        indexes: ClassVar = [
            models.Index(fields=["user", "ref_id"], name="uses_of_a_memory"),
            models.Index(fields=["receipt", "rank"], name="lines_in_order"),
        ]

    def __str__(self) -> str:
        return pgettext("row", "Receipt line %s") % self.pk
