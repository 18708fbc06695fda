"""Admin page of the kill switches: throwing one is confirmed by typing its name, lifting one by a question."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from consent.admin.person_rows import username_of
from consent.kill_switches import MAY_LIFT, MAY_THROW, lift_switch, throw_switch
from consent.models import Capability, KillSwitch
from finclaw.console.governed_forms import GovernedAddAdmin, GovernedForm
from foundation.accounts.models import User
from foundation.admin import shortened_id
from foundation.exceptions import FinClawError
from foundation.governed_actions import Confirmation, govern_rows, row_by_row


class KillSwitchForm(GovernedForm):
    """What is switched off, for whom and why. Validating the form also throws the switch, so that it shows refusals."""

    confirm = forms.CharField(
        label=_("To confirm, type the name of what is switched off"),
        help_text=_("It holds from the next request and job on, until it is lifted. Everybody concerned is told."),
        max_length=15,
    )

    class Meta:
        model = KillSwitch
        fields = ("capability", "tenant", "reason")

    def clean(self) -> dict[str, Any]:
        given = dict(super().clean() or {})
        if self.errors:
            return given
        capability = Capability(given["capability"])
        if given["confirm"].strip().casefold() not in {capability.value, str(capability.label).casefold()}:
            raise ValidationError({"confirm": gettext("Type %(words)s to confirm.") % {"words": capability.label}})
        try:
            self.instance = throw_switch(capability, given["tenant"], given["reason"], self.operator)
        except FinClawError as refusal:
            raise ValidationError(refusal.message) from None
        return given


@admin.register(KillSwitch)
class KillSwitchAdmin(GovernedAddAdmin):
    """The switches in force and those that were lifted. Throwing and lifting are governed and audited."""

    new_form, new_fields, may_add = KillSwitchForm, ("capability", "tenant", "reason", "confirm"), MAY_THROW
    fields = ("id", "capability", "tenant", "reason", "thrower", "thrown_at", "lifter", "lifted_at")
    readonly_fields = ("thrower", "lifter")
    list_display = ("capability", "tenant", "reason", "thrower", "thrown_at", "lifter", "lifted_at")
    list_filter = ("capability", ("lifted_at", admin.EmptyFieldListFilter), "tenant")
    list_select_related = ("tenant",)
    search_fields = ("=id",)
    date_hierarchy = "thrown_at"
    actions = ("lift",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        names = {"thrower_name": username_of("thrown_by"), "lifter_name": username_of("lifted_by")}
        named: QuerySet[Any] = super().get_queryset(request).annotate(**names)
        return named

    def has_lift_permission(self, request: HttpRequest) -> bool:
        """Whether the operator may lift a switch; nobody edits its fields."""
        return request.user.has_perm(MAY_LIFT)

    @admin.display(description=_("thrown by"), ordering="thrower_name")
    def thrower(self, row: Any) -> str:
        """The operator who threw it, or their UUID once the account is gone."""
        return row.thrower_name or shortened_id(row.thrown_by)

    @admin.display(description=_("lifted by"), ordering="lifter_name")
    def lifter(self, row: Any) -> str:
        """The operator who lifted it, or their UUID once the account is gone."""
        return row.lifter_name or shortened_id(row.lifted_by)

    @admin.action(description=_("Switch on again"), permissions=["lift"])
    def lift(self, request: HttpRequest, queryset: QuerySet[KillSwitch]) -> HttpResponseBase | None:
        """Confirm, then lift: jobs that waited for it go on at once."""
        return govern_rows(
            self,
            request,
            _lift_confirmation(queryset.filter(lifted_at=None)),
            row_by_row(lambda row, actor: lift_switch(row.pk, User.objects.get(pk=actor))),
            note="Lifted.",
            done=ngettext_lazy("%d switch is lifted.", "%d switches are lifted."),
            nothing=_("None of the selected switches stands."),
        )


def _lift_confirmation(in_force: QuerySet[KillSwitch]) -> Confirmation:
    return Confirmation(
        title=gettext("Switch on again?"),
        sentences=[gettext("It holds from the next request and job on; queued work goes on at once.")],
        action="lift",
        button=gettext("Switch on again"),
        rows=[(row, row.reason) for row in in_force],
    )
