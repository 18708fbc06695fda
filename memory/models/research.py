"""Models of research: tasks, their results, and the threads that follow a question over time."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from consent.models import Erasable
from consent.querysets import VisibleManager
from foundation.ids import new_id
from foundation.long_tasks import LongTaskRow
from foundation.personal_data import KeptFor, PersonalData


class ObjectKind(models.TextChoices):
    """The kind of object a piece of research is about."""

    ASSET = "asset", _("Asset")
    THEME = "theme", _("Theme")
    EVENT = "event", _("Event")


class Route(models.TextChoices):
    """The seven routes of research."""

    SNAPSHOT = "snapshot", _("Snapshot")
    THREAD_REFRESH = "thread_refresh", _("Refresh a thread")
    RISK_CHALLENGE = "risk_challenge", _("Challenge the risks")
    PRE_EXECUTION = "pre_execution", _("Check before acting")
    EVIDENCE_AUDIT = "evidence_audit", _("Audit the evidence")
    NARRATIVE_MAPPER = "narrative_mapper", _("Map the narratives")
    EVENT_IMPACT_READER = "event_impact_reader", _("Read an event's impact")


class Thread(Erasable):
    """A question followed over time, with the thesis held now. Closed threads are read only.

    The object is what its snapshots are about: ``object_alias`` is the user's word for it, "" if that is its name, and
    ``object_sources`` names the rows that it was taken from.
    """

    class State(models.TextChoices):
        OPEN = "open", _("Open")
        CLOSED = "closed", _("Closed")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    title = models.CharField(max_length=200)
    object_kind = models.CharField(max_length=5, choices=ObjectKind.choices)
    object_name = models.CharField(max_length=200)
    object_alias = models.CharField(max_length=200, blank=True, default="")
    object_sources = models.JSONField(default=list, blank=True)
    current_thesis = models.TextField()
    refresh_conditions = models.JSONField(default=list, blank=True)  # sentences
    state = models.CharField(max_length=6, choices=State.choices, default=State.OPEN)
    consent_version = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[VisibleManager[Thread]] = VisibleManager()
    personal_data = PersonalData(export="threads/threads.json", kept=KeptFor.RESEARCH)

    class Meta:
        ordering = ("-updated_at",)
        verbose_name = _("thread")
        indexes: ClassVar = [models.Index(fields=["user", "-updated_at"], name="my_threads")]

    def __str__(self) -> str:
        return pgettext("row", "Thread %s") % self.pk


class ResearchTask(LongTaskRow, Erasable):
    """One run of a route: what was asked, its progress, what it used, and what it made.

    ``context`` says which slices of the prompt's context were loaded, missing and blocked, with their estimated tokens.
    ``result_kind`` and ``result_id`` name the result's row; ``report`` is the whole result of a route without one.
    """

    class State(models.TextChoices):
        PENDING = "pending", _("Waiting")
        RUNNING = "running", _("Running")
        COMPLETED = "completed", _("Done")
        FAILED = "failed", _("Failed")
        CANCELLED = "cancelled", _("Cancelled")

    class ResultKind(models.TextChoices):
        SNAPSHOT = "snapshot", _("Snapshot")
        REFRESH = "refresh", _("Refresh")
        CHECKPOINT = "checkpoint", _("Checkpoint")
        REPORT = "report", _("Report")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    route = models.CharField(max_length=20, choices=Route.choices)
    prompt = models.TextField()  # empty for a refresh that was asked for without a word
    overrides = models.JSONField(default=dict, blank=True)  # of the stated context, deleted when the task ends
    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, null=True, blank=True, related_name="tasks")
    as_of = models.DateTimeField(null=True, blank=True)  # nothing known later is used
    state = models.CharField(max_length=9, choices=State.choices, default=State.PENDING)
    progress = models.PositiveSmallIntegerField(default=0)  # per cent
    step = models.CharField(max_length=40, blank=True)  # the present step, as a key
    partial = models.JSONField(default=list, blank=True)  # what its steps have found so far
    cancel_requested_at = models.DateTimeField(null=True, blank=True)
    erasures = models.PositiveIntegerField(default=0)  # how many the user had requested when the task began
    context = models.JSONField(default=dict, blank=True)
    advisors = models.JSONField(default=list, blank=True)
    lookahead_warnings = models.JSONField(default=list, blank=True)
    degraded = models.JSONField(default=list, blank=True)
    tip = models.BooleanField(default=False)  # the hint that preferences could be set stands at the end
    result_kind = models.CharField(max_length=10, choices=ResultKind.choices, blank=True)
    result_id = models.UUIDField(null=True, blank=True)
    report = models.JSONField(default=dict, blank=True)
    model_id = models.CharField(max_length=120, blank=True)
    error_code = models.CharField(max_length=40, blank=True)
    consent_version = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[VisibleManager[ResearchTask]] = VisibleManager()
    personal_data = PersonalData(
        export="tasks/tasks.jsonl", withheld=("step", "error_code", "erasures", "is_unseen"), kept=KeptFor.RESEARCH
    )

    class Meta:
        ordering = ("-created_at",)
        verbose_name = _("task")
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(progress__lte=100), name="task_progress_per_cent"),
            models.CheckConstraint(
                condition=Q(state__in=("pending", "running")) ^ Q(ended_at__isnull=False), name="over_means_ended"
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["user", "-created_at"], name="my_tasks")]

    def __str__(self) -> str:
        return pgettext("row", "Task %s") % self.pk

    @property
    def is_over(self) -> bool:
        """Whether the task has ended, in whatever way."""
        return self.ended_at is not None

    @property
    def question(self) -> str:
        """The question to display: the prompt, or the title of the thread if the prompt is empty."""
        return self.prompt or (self.thread.title if self.thread else "")


class ResearchResult(Erasable):
    """A task's result; the ``sources`` of its parts name the rows they were taken from, so that erasure finds them."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    model_id = models.CharField(max_length=120)
    as_of = models.DateTimeField(null=True, blank=True)
    consent_version = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self._meta.object_name} {self.pk}"


class Snapshot(ResearchResult):
    """A view of one object at one moment: a thesis, what speaks for it and against it, and what would end it.

    ``evidence``, ``counter_thesis`` and ``invalidators`` are arrays of ``{"text", "dated_at", "sources": [{"kind",
    "id"}]}`` in the order of the material, which no preference changes. ``told`` is an array of the same kind, of what
    the user had said before. The thesis and the watch questions were taken from ``thesis_sources``, the object from
    ``object_sources``. ``object_alias`` is the user's word for the object, "" if that is its name.
    """

    task = models.ForeignKey(ResearchTask, on_delete=models.CASCADE, related_name="snapshots")
    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, null=True, blank=True, related_name="snapshots")
    object_kind = models.CharField(max_length=5, choices=ObjectKind.choices)
    object_name = models.CharField(max_length=200)
    object_alias = models.CharField(max_length=200, blank=True, default="")
    object_sources = models.JSONField(default=list, blank=True)
    main_thesis = models.TextField()
    thesis_sources = models.JSONField(default=list, blank=True)
    evidence = models.JSONField(default=list, blank=True)
    counter_thesis = models.JSONField(default=list, blank=True)
    invalidators = models.JSONField(default=list, blank=True)
    told = models.JSONField(default=list, blank=True)
    watch_questions = models.JSONField(default=list, blank=True)  # sentences
    data_quality_note = models.TextField(blank=True)

    objects: ClassVar[VisibleManager[Snapshot]] = VisibleManager()
    personal_data = PersonalData(export="snapshots/{id}.json", kept=KeptFor.RESEARCH)

    class Meta:
        ordering = ("-created_at",)
        verbose_name = _("snapshot")
        indexes: ClassVar = [
            models.Index(fields=["user", "-created_at"], name="my_snapshots"),
            models.Index(fields=["thread", "-created_at"], name="snapshots_of_thread", condition=~Q(thread=None)),
        ]


class Refresh(ResearchResult):
    """A later look at a thread: the snapshot it led to, and how the thesis changed.

    ``changed_inferences`` is an array of ``{"before", "after"}`` sentences; one of the two is empty for an inference
    that is new or was dropped.
    """

    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="refreshes")
    task = models.ForeignKey(ResearchTask, on_delete=models.CASCADE, related_name="refreshes")
    snapshot = models.OneToOneField(Snapshot, on_delete=models.CASCADE, related_name="refresh")
    thesis_before = models.TextField()
    change_summary = models.TextField()
    changed_inferences = models.JSONField(default=list, blank=True)

    objects: ClassVar[VisibleManager[Refresh]] = VisibleManager()
    personal_data = PersonalData(export="threads/refreshes.jsonl", kept=KeptFor.RESEARCH)

    class Meta:
        ordering = ("-created_at",)
        verbose_name = _("refresh")
        indexes: ClassVar = [models.Index(fields=["thread", "-created_at"], name="refreshes_of_thread")]


class WatchQuestion(Erasable):
    """A question that a thread keeps open.

    ``updates`` is its history: an array of ``{"state", "at"}``, oldest first.
    """

    class State(models.TextChoices):
        OPEN = "open", _("Open")
        RESOLVED = "resolved", _("Resolved")
        REOPENED = "reopened", _("Reopened")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="watch_questions")
    question = models.CharField(max_length=500)
    state = models.CharField(max_length=8, choices=State.choices, default=State.OPEN)
    resolved_at = models.DateTimeField(null=True, blank=True)
    reopened_at = models.DateTimeField(null=True, blank=True)
    updates = models.JSONField(default=list, blank=True)
    consent_version = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[VisibleManager[WatchQuestion]] = VisibleManager()
    personal_data = PersonalData(export="threads/watch_questions.jsonl", kept=KeptFor.RESEARCH)

    class Meta:
        ordering = ("created_at",)
        verbose_name = _("watch question")
        indexes: ClassVar = [models.Index(fields=["thread", "created_at"], name="questions_of_thread")]

    def __str__(self) -> str:
        return pgettext("row", "Watch question %s") % self.pk


class Checkpoint(ResearchResult):
    """What to weigh before a decision, as a result to read: it carries out nothing and has no field of an order.

    The arrays are of ``{"text", "dated_at", "sources"}``, as a snapshot's are.
    """

    task = models.ForeignKey(ResearchTask, on_delete=models.CASCADE, related_name="checkpoints")
    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, null=True, blank=True, related_name="checkpoints")
    decision = models.TextField()  # what is about to be decided, in the user's words
    conditions = models.JSONField(default=list, blank=True)  # to be met first
    risks = models.JSONField(default=list, blank=True)
    invalidators = models.JSONField(default=list, blank=True)
    told = models.JSONField(default=list, blank=True)  # what the user had told before
    data_quality_note = models.TextField(blank=True)

    objects: ClassVar[VisibleManager[Checkpoint]] = VisibleManager()
    personal_data = PersonalData(export="checkpoints/{id}.json", kept=KeptFor.RESEARCH)

    class Meta:
        ordering = ("-created_at",)
        verbose_name = _("checkpoint")
        indexes: ClassVar = [models.Index(fields=["user", "-created_at"], name="my_checkpoints")]
