"""Watches the experiments that run, on schedule: one that harms the quality of answers ends by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import structlog
from django.db import transaction
from django.utils import timezone

from consent.experiments import roll_back, running_experiments
from consent.models import Experiment
from foundation.alerts import alert_key, raise_alert
from foundation.exceptions import NotFound
from memory.quality.experiment_readings import judge_experiment
from memory.quality.experiment_verdicts import JudgedVariant

log = structlog.get_logger(__name__)
ALERT_KIND: Final = "experiment_rolled_back"
RATIO_KIND: Final = "experiment_ratio"
UNWATCHED_KIND: Final = "experiment_unwatched"


def watch_experiments() -> dict[str, str]:
    """Roll back each running experiment of which a variant is surely too bad, and alert the operators; returns the
    verdicts by experiment and variant. One that cannot be judged keeps no other waiting; operators are told of it once
    an hour, and once a day of one whose users are not as their weights. For the schedule.
    """
    return {
        f"{experiment.pk}:{name}": verdict
        for experiment in list(running_experiments())
        for name, verdict in _watch_alone(experiment).items()
    }


def _watch_alone(experiment: Experiment) -> dict[str, str]:
    try:
        with transaction.atomic():
            return _watch(experiment)
    except Exception as error:
        log.exception("experiment_not_watched", experiment=str(experiment.pk), error=type(error).__name__)
        _alert_once("hour", UNWATCHED_KIND, experiment, error=type(error).__name__)
        return {}


def _watch(experiment: Experiment) -> dict[str, str]:
    judged = judge_experiment(experiment)
    harmful = [one for one in judged.verdicts if one.verdict.rolls_back]
    if harmful:
        _roll_back(experiment, harmful)
    elif not judged.is_ratio_right:
        log.warning("experiment_ratio", experiment=str(experiment.pk), users=dict(judged.users))
        _alert_once("day", RATIO_KIND, experiment, p=f"{judged.ratio:.2g}")
    return {one.name: one.verdict.value for one in judged.verdicts}


def _alert_once(period: Literal["hour", "day"], kind: str, experiment: Experiment, **details: str) -> None:
    now = timezone.now()
    key = alert_key(period, now, kind, str(experiment.pk))
    raise_alert(kind, "ticket", key, experiment=str(experiment.pk), at=now.isoformat(), **details)


def _roll_back(experiment: Experiment, harmful: Sequence[JudgedVariant]) -> None:
    with transaction.atomic():
        try:
            roll_back(experiment.pk)
        except NotFound:  # an operator was faster
            return
        for one in harmful:
            named = {"experiment": str(experiment.pk), "variant": one.name, "verdict": one.verdict.value}
            named["window"] = "latest" if one.lately else "whole"
            log.warning("experiment_rolled_back", **named)
            raise_alert(ALERT_KIND, "page", None, at=timezone.now().isoformat(), **named)
