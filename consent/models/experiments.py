"""Defines experiments: variants of how answers are made, tried with a part of the users, ended if answers get worse."""

from __future__ import annotations

from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from foundation.ids import new_id


class Experiment(models.Model):
    """One experiment; no row is ever deleted. Who gets which variant is computed (``consent.experiment_assignment``).

    Experiments of one ``layer`` exclude each other: each owns the part of it from ``layer_start`` to below
    ``layer_end``, in per cent. ``variants`` is a list of objects with ``name``, ``weight`` in per cent and
    ``parameters``. ``floor`` is the least injection quality with which a variant may go on.
    """

    class Dimension(models.TextChoices):
        BRAIN_ROUTING = "brain_routing", _("How a message is routed, and what enters the prompt")
        PROMPT_VERSION = "prompt_version", _("In which words the model is instructed")

    class State(models.TextChoices):
        DRAFT = "draft", pgettext_lazy("experiment", "Draft")
        RUNNING = "running", pgettext_lazy("experiment", "Running")
        STOPPED = "stopped", pgettext_lazy("experiment", "Stopped")
        ROLLED_BACK = "rolled_back", pgettext_lazy("experiment", "Rolled back by itself")

    class Share(models.IntegerChoices):
        """The steps in which an experiment grows, in per cent of the users that may be taken."""

        NONE = 0, _("0 %")
        ONE = 1, _("1 %")
        TEN = 10, _("10 %")
        HALF = 50, _("50 %")
        ALL = 100, _("100 %")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    name = models.CharField(_("name"), max_length=60, unique=True)
    purpose = models.CharField(_("purpose"), max_length=200)
    dimension = models.CharField(_("what varies"), max_length=20, choices=Dimension.choices)
    layer = models.CharField(_("layer"), max_length=30, validators=[RegexValidator(r"^[a-z][a-z0-9_]*\Z")])
    layer_start = models.PositiveSmallIntegerField(_("from, in per cent of the layer"), default=0)
    layer_end = models.PositiveSmallIntegerField(_("to, in per cent of the layer"), default=100)
    variants = models.JSONField(_("variants"))
    floor = models.FloatField(
        _("least injection quality"), default=0.55, validators=[MinValueValidator(0.0), MaxValueValidator(1.0)]
    )
    state = models.CharField(_("state"), max_length=12, choices=State.choices, default=State.DRAFT)
    share = models.PositiveSmallIntegerField(_("share of users"), choices=Share.choices, default=Share.NONE)
    created_by = models.UUIDField()
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    grown_at = models.DateTimeField(null=True, blank=True)  # when the share was last changed
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_by = models.UUIDField(null=True, blank=True)  # none: it ended by itself

    class Meta:
        ordering = ("-created_at",)
        verbose_name = _("experiment")
        verbose_name_plural = _("experiments")
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(layer_start__lt=models.F("layer_end"), layer_end__lte=100),
                name="experiment_within_its_layer",
                violation_error_message=_("An experiment owns a part of its layer, from 0 to 100 per cent."),
            ),
            models.CheckConstraint(condition=models.Q(share__in=(0, 1, 10, 50, 100)), name="experiment_grows_by_steps"),
            models.CheckConstraint(
                condition=models.Q(state="draft", share=0, started_at=None)
                | models.Q(state="running", share__gt=0, started_at__isnull=False, ended_at=None)
                | models.Q(models.Q(state="stopped") | models.Q(state="rolled_back"), ended_at__isnull=False),
                name="experiment_state_is_whole",
            ),
            models.CheckConstraint(condition=models.Q(floor__gte=0, floor__lte=1), name="experiment_floor_is_a_share"),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.pk}"
