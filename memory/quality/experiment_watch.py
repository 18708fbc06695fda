"""Watches the experiments that run, on schedule: one that harms the quality of answers ends by itself."""

from __future__ import annotations

from typing import Final

import structlog
from django.db import transaction
from django.utils import timezone

from consent.experiments import roll_back, running_experiments
from consent.models import Experiment
from foundation.alerts import raise_alert
from foundation.exceptions import NotFound
from memory.quality.experiment_readings import judge_experiment

log = structlog.get_logger(__name__)
ALERT_KIND: Final = "experiment_rolled_back"


def watch_experiments() -> dict[str, str]:
    """Roll back each running experiment of which a variant is surely too bad, and alert the operators; returns the
    verdicts by experiment and variant. One that cannot be judged is logged and keeps no other waiting. For the
    schedule.
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
        return {}


def _watch(experiment: Experiment) -> dict[str, str]:
    judged = judge_experiment(experiment)
    harmful = {one.name: one.verdict.value for one in judged if one.verdict.rolls_back}
    if harmful:
        _roll_back(experiment, harmful)
    return {one.name: one.verdict.value for one in judged}


def _roll_back(experiment: Experiment, harmful: dict[str, str]) -> None:
    with transaction.atomic():
        try:
            roll_back(experiment.pk)
        except NotFound:  # an operator was faster
            return
        for variant, verdict in harmful.items():
            log.warning("experiment_rolled_back", experiment=str(experiment.pk), variant=variant, verdict=verdict)
            at = timezone.now().isoformat()
            raise_alert(ALERT_KIND, "page", experiment=str(experiment.pk), variant=variant, verdict=verdict, at=at)
