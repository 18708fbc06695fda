"""Draft, start, grow and stop experiments, and show what came of them."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError

from consent.experiments import grow_experiment, stop_experiment
from consent.models import Experiment
from finclaw.experiment_drafts import draft_from_json
from finclaw.operator_sign_in import confirm_by_typing, identify_operator
from foundation.accounts.models import User
from foundation.exceptions import FinClawError, refusal_in_words
from memory.quality.experiment_readings import ExperimentReport, VariantReading, read_report


class Command(BaseCommand):
    """List experiments, show one, or change one. They hold from the next message on, without a restart."""

    help = (
        "Without arguments, list the experiments. Draft one from a JSON file, start it or let it grow with --grow, end"
        " it with --stop, or show what came of it with --show."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("experiment", nargs="?", help="the name of an experiment, or with --draft a JSON file")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--draft", action="store_true", help="draft the experiment that the file describes")
        what.add_argument(
            "--grow",
            type=int,
            choices=[share for share in Experiment.Share.values if share],
            metavar="SHARE",
            help="start it, or let it grow, to 1, 10, 50 or 100 per cent of the users",
        )
        what.add_argument("--stop", action="store_true", help="end it; everybody is answered as before it")
        what.add_argument("--show", action="store_true", help="show the gauges of each variant")
        parser.add_argument("--operator", metavar="NAME", help="your user name; you are asked for password and code")
        parser.add_argument("--yes", action="store_true", help="do not ask to type the name of the experiment again")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["experiment"]:
            self._list()
        elif options["draft"]:
            self._draft(options)
        elif options["show"]:
            self._show(_named(options["experiment"]))
        elif options["stop"] or options["grow"]:
            self._change(_named(options["experiment"]), options)
        else:
            raise CommandError("Say what to do with it: --draft, --show, --grow SHARE or --stop.")

    def _list(self) -> None:
        for row in Experiment.objects.all():
            self.stdout.write(f"{row.name}: {row.get_state_display()}, {row.share} %, {row.get_dimension_display()}")

    def _draft(self, options: dict[str, Any]) -> None:
        try:
            given = json.loads(Path(options["experiment"]).read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise CommandError(f"This is no file of JSON: {options['experiment']}.") from error
        operator = identify_operator(options["operator"])
        try:
            drafted = draft_from_json(operator, given)
        except FinClawError as refusal:
            raise CommandError(refusal_in_words(refusal)) from None
        self.stdout.write(f"{drafted.name} is drafted; it takes nobody yet.")

    def _change(self, experiment: Experiment, options: dict[str, Any]) -> None:
        operator = identify_operator(options["operator"])
        if not options["yes"]:
            confirm_by_typing(experiment.name)
        try:
            changed = _changed(experiment, options["grow"], operator)
        except FinClawError as refusal:
            raise CommandError(refusal_in_words(refusal)) from None
        self.stdout.write(f"{changed.name}: {changed.get_state_display()}, {changed.share} %.")

    def _show(self, experiment: Experiment) -> None:
        self.stdout.write(f"{experiment.name}: {experiment.get_state_display()}, {experiment.share} %")
        if experiment.started_at is not None:
            self._show_report(read_report(experiment))

    def _show_report(self, report: ExperimentReport) -> None:
        users = ", ".join(f"{name} {count}" for name, count in report.users.items())
        ratio = "as their weights" if report.is_ratio_right else "NOT as their weights: nothing below counts"
        self.stdout.write(f"users: {users}; {ratio} (p = {report.ratio:.3g})")
        for gauge, readings in report.readings.items():
            for name, reading in readings.items():
                self.stdout.write(f"{gauge}, {name}: {_reading_in_words(reading)}")
        for judged in report.verdicts:
            lately = ", in the last days alone" if judged.lately else ""
            self.stdout.write(f"verdict on {judged.name}: {judged.verdict.value}{lately}")


def _changed(experiment: Experiment, share: int | None, operator: User) -> Experiment:
    if share is None:
        return stop_experiment(experiment.pk, operator)
    return grow_experiment(experiment.pk, Experiment.Share(share), operator)


def _named(name: str) -> Experiment:
    experiment = Experiment.objects.filter(name=name).first()
    if experiment is None:
        raise CommandError(f"There is no experiment called {name}.")
    return experiment


def _reading_in_words(reading: VariantReading) -> str:
    if reading.estimate is None:
        return "nothing to measure"
    if reading.value is None:
        return f"{reading.estimate.value:.3f}, too few to tell how sure ({reading.estimate.users} users)"
    effect = f"; effect {reading.effect.in_figures('+')}" if reading.effect else ""
    return f"{reading.value.in_figures()}{effect}"
