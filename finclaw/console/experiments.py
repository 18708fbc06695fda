"""Admin page of experiments: drafts one by a form, lets it grow or stops it after a question, shows what came of it."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from consent.admin.person_rows import username_of
from consent.experiments import LIVE_STATES, MAY_CHANGE, MAY_DRAFT, grow_experiment, next_share, stop_experiment
from consent.models import Experiment
from finclaw.console.governed_forms import GovernedAddAdmin, GovernedForm
from finclaw.console.refusals import show_refusal
from finclaw.experiment_drafts import draft_from_json
from foundation.accounts.models import User
from foundation.admin import shortened_id
from foundation.exceptions import FinClawError
from foundation.governed_actions import Confirmation, govern_rows, row_by_row
from memory.quality.experiment_readings import ExperimentReport, VariantReading, read_report
from memory.quality.experiment_verdicts import ExperimentVerdict, JudgedVariant

_DRAFTED: Final = ("name", "purpose", "dimension", "variants", "layer", "layer_start", "layer_end", "floor")
_VERDICTS: Final = {
    ExperimentVerdict.TOO_FEW: _("too few answers to tell"),
    ExperimentVerdict.GOES_ON: _("no harm seen"),
    ExperimentVerdict.BELOW_FLOOR: _("surely below the floor"),
    ExperimentVerdict.WORSE_THAN_CONTROL: _("surely worse than control"),
    ExperimentVerdict.STARVES_PROMPT: _("surely reminds fewer users than control"),
}


class ExperimentForm(GovernedForm):
    """What an experiment varies. Validating the form also drafts the experiment, so that it shows refusals."""

    layer = forms.CharField(
        label=_("layer"),
        required=False,
        max_length=30,
        help_text=_("Empty: that of what varies. Experiments of one layer share no user."),
    )

    class Meta:
        model = Experiment
        fields = _DRAFTED

    def clean(self) -> dict[str, Any]:
        given = dict(super().clean() or {})
        if self.errors:
            return given
        try:
            self.instance = draft_from_json(self.operator, {name: given[name] for name in _DRAFTED})
        except FinClawError as refusal:
            show_refusal(self, refusal)
        return given


@admin.register(Experiment)
class ExperimentAdmin(GovernedAddAdmin):
    """Every experiment, and what came of it. Drafting, growing and stopping are governed and audited."""

    new_form, new_fields, may_add = ExperimentForm, _DRAFTED, MAY_DRAFT
    fields = (
        "id", "name", "purpose", "dimension", "variants", "layer", "layer_start", "layer_end", "floor", "state",
        "share", "users", "gauges", "verdicts", "drafter", "created_at", "started_at", "grown_at", "ended_at",
    )  # fmt: skip
    readonly_fields = ("users", "gauges", "verdicts", "drafter")
    list_display = ("name", "dimension", "state", "share", "layer", "started_at", "ended_at")
    list_filter = ("state", "dimension")
    search_fields = ("=id", "name")
    date_hierarchy = "created_at"
    actions = ("grow", "stop")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        named: QuerySet[Any] = super().get_queryset(request).annotate(drafter_name=username_of("created_by"))
        return named

    def has_run_permission(self, request: HttpRequest) -> bool:
        """Whether the operator may let experiments grow, and stop them; nobody edits their fields."""
        return request.user.has_perm(MAY_CHANGE)

    @admin.display(description=_("drafted by"))
    def drafter(self, row: Any) -> str:
        """The operator who drafted it, or their UUID once the account is gone."""
        return row.drafter_name or shortened_id(row.created_by)

    @admin.display(description=_("users by variant"))
    def users(self, row: Experiment) -> str:
        """How many users each variant answered, and whether the numbers fit the weights."""
        if row.started_at is None:
            return "–"
        report = _report_of(row)
        counts = ", ".join(f"{name}: {count}" for name, count in report.users.items())
        if report.is_ratio_right:
            return counts
        return gettext("%(counts)s: not as their weights. Nothing below counts; stop it and look for the fault.") % {
            "counts": counts
        }

    @admin.display(description=_("gauges, with the effect against control"))
    def gauges(self, row: Experiment) -> SafeString | str:
        """Each gauge of each variant, with intervals that hold however often one looks."""
        if row.started_at is None:
            return "–"
        lines = (
            (gauge, name, _in_figures(reading))
            for gauge, readings in _report_of(row).readings.items()
            for name, reading in readings.items()
        )
        return format_html("<ul>{}</ul>", format_html_join("", "<li><code>{}</code>, {}: {}</li>", lines))

    @admin.display(description=_("verdicts"))
    def verdicts(self, row: Experiment) -> str:
        """What the injection quality of each variant asks for."""
        judged = () if row.started_at is None else _report_of(row).verdicts
        return ", ".join(map(_in_words, judged)) or "–"

    @admin.action(description=_("Start, or grow by a step"), permissions=["run"])
    def grow(self, request: HttpRequest, queryset: QuerySet[Experiment]) -> HttpResponseBase | None:
        """Confirm, then take more of the users; whoever is in it keeps their variant."""
        live = list(queryset.filter(state__in=LIVE_STATES, share__lt=Experiment.Share.ALL))
        rows = [(row, str(next_share(row).label)) for row in live]
        stamp = " ".join(f"{row.pk}:{next_share(row)}" for row in live)  # sent twice, it grows by one step
        return govern_rows(
            self,
            request,
            _confirmation("grow", gettext("Take more of the users?"), rows, stamp),
            row_by_row(lambda row, actor: grow_experiment(row.pk, next_share(row), User.objects.get(pk=actor))),
            note="Grown.",
            done=ngettext_lazy("%d experiment has grown.", "%d experiments have grown."),
            nothing=_("None of the selected experiments can grow."),
        )

    @admin.action(description=_("Stop"), permissions=["run"])
    def stop(self, request: HttpRequest, queryset: QuerySet[Experiment]) -> HttpResponseBase | None:
        """Confirm, then end: everybody is answered as before it."""
        live = queryset.filter(state__in=LIVE_STATES)
        return govern_rows(
            self,
            request,
            _confirmation("stop", gettext("Stop for good?"), [(row, row.purpose) for row in live]),
            row_by_row(lambda row, actor: stop_experiment(row.pk, User.objects.get(pk=actor))),
            note="Stopped.",
            done=ngettext_lazy("%d experiment is stopped.", "%d experiments are stopped."),
            nothing=_("None of the selected experiments runs."),
        )


def _confirmation(action: str, title: str, rows: list[tuple[Experiment, str]], stamp: str = "") -> Confirmation:
    return Confirmation(
        title=title,
        sentences=[gettext("It holds from the next message on.")],
        action=action,
        button=title.rstrip("?？"),
        rows=rows,
        stamp=stamp,
    )


def _report_of(experiment: Experiment) -> ExperimentReport:
    """The report, read once for all fields of a page."""
    known: ExperimentReport | None = vars(experiment).get("report_of_page")
    if known is None:
        known = vars(experiment)["report_of_page"] = read_report(experiment)
    return known


def _in_words(judged: JudgedVariant) -> str:
    verdict = f"{judged.name}: {_VERDICTS[judged.verdict]}"
    return gettext("%(verdict)s, in the last days alone") % {"verdict": verdict} if judged.lately else verdict


def _in_figures(reading: VariantReading) -> str:
    if reading.value is None:
        return "–" if reading.estimate is None else f"{reading.estimate.value:.3f}"
    effect = f"; {reading.effect.in_figures('+')}" if reading.effect else ""
    return f"{reading.value.in_figures()}{effect}"
