"""Admin page of erasures that people asked operators for: one operator requests it, another approves or declines."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from consent.admin.person_rows import PersonRowsAdmin, username_of
from consent.models import ErasureRequest, ErasureScope, Sources
from finclaw.console.governed_forms import GovernedAddAdmin, GovernedForm
from finclaw.erasure_requests import (
    MAY_ASK,
    MAY_DECIDE,
    OFFERED_SCOPES,
    ErasureWish,
    approve_request,
    ask_for_erasure,
    decline_request,
    preview_request,
    wish_of,
)
from foundation.accounts.models import User
from foundation.admin import short_id, shortened_id
from foundation.exceptions import FinClawError
from foundation.governed_actions import Confirmation, ask_first, govern_rows, row_by_row

State = ErasureRequest.State


class ErasureRequestForm(GovernedForm):
    """What a person asked for. Validating the form also makes the request, so that refusals are shown on the form."""

    username = forms.CharField(label=_("User name of the person"), max_length=60)
    scope = forms.ChoiceField(
        label=_("What they asked to have erased"), choices=[(scope.value, scope.label) for scope in OFFERED_SCOPES]
    )

    class Meta:
        model = ErasureRequest
        fields = ("scope", "target_id", "sources", "reference")

    field_order = ("username", "scope", "target_id", "sources", "reference")

    def clean_username(self) -> User:
        """The person of that user name."""
        person = User.objects.filter(username=self.cleaned_data["username"]).first()
        if person is None:
            raise ValidationError(_("Nobody goes by that user name."))
        return person

    def clean(self) -> dict[str, Any]:
        given = dict(super().clean() or {})
        if not self.errors:
            try:
                self.instance = ask_for_erasure(_wish(given), self.operator)
            except FinClawError as refusal:
                raise ValidationError(refusal.message) from None
            except ValidationError as refusal:  # of the row's fields, which are not all on the form
                raise ValidationError(refusal.messages) from None
        return given


def _wish(given: dict[str, Any]) -> ErasureWish:
    scope, sources = ErasureScope(given["scope"]), Sources(given["sources"])
    return ErasureWish(given["username"], scope, given["target_id"], sources, given["reference"])


@admin.register(ErasureRequest)
class ErasureRequestAdmin(GovernedAddAdmin, PersonRowsAdmin):
    """Erasures that people asked operators for. Asking, approving and declining are governed and audited."""

    new_form, new_fields, may_add = ErasureRequestForm, ErasureRequestForm.field_order, MAY_ASK
    fields = (
        "id", "person", "scope", "target_id", "sources", "reference", "state", "takes", "asker", "asked_at",
        "expires_at", "decider", "decided_at", "erasure",
    )  # fmt: skip
    readonly_fields = ("person", "asker", "decider", "takes", "erasure")
    list_display = (
        "state",
        "person",
        "scope",
        "reference",
        "asker",
        "asked_at",
        "expires_at",
        "decider",
        short_id("id"),
    )
    list_filter = ("state", "scope")
    search_fields = ("=id", "=user_id", "=reference", "username")
    date_hierarchy = "asked_at"
    actions = ("approve", "decline")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        names = {"asker_name": username_of("asked_by"), "decider_name": username_of("decided_by")}
        named: QuerySet[Any] = super().get_queryset(request).annotate(**names)
        return named

    def has_decide_permission(self, request: HttpRequest) -> bool:
        """Whether the operator may approve and decline; nobody edits the fields."""
        return request.user.has_perm(MAY_DECIDE)

    @admin.display(description=_("asked for by"), ordering="asker_name")
    def asker(self, row: Any) -> str:
        """The operator who asked, or their UUID once the account is gone."""
        return row.asker_name or shortened_id(row.asked_by)

    @admin.display(description=_("decided by"), ordering="decider_name")
    def decider(self, row: Any) -> str:
        """The operator who decided, or their UUID once the account is gone."""
        return row.decider_name or shortened_id(row.decided_by)

    @admin.display(description=_("what it would take now"))
    def takes(self, row: ErasureRequest) -> str | SafeString:
        """Counts of what would be erased, while the request is pending."""
        lines = _preview_lines(row) if row.state == State.PENDING else ()
        return format_html("<ul>{}</ul>", format_html_join("", "<li>{}</li>", [(line,) for line in lines])) or "–"

    @admin.display(description=_("erasure"))
    def erasure(self, row: ErasureRequest) -> str:
        """The id of the erasure that followed from the request."""
        return shortened_id(row.tombstone_id)

    @admin.action(description=_("Approve and erase"), permissions=["decide"])
    def approve(self, request: HttpRequest, queryset: QuerySet[ErasureRequest]) -> HttpResponseBase | None:
        """Confirm the erasure by typing the person's user name; then erase, audited under both operators' names."""
        waiting = list(queryset.filter(state=State.PENDING)[:2])
        if len(waiting) != 1:
            self.message_user(request, _("Choose one request that waits."), messages.WARNING)
            return None
        try:
            question = _approval(waiting[0])
            asked = ask_first(self, request, question)
            if asked is not None:
                return asked
            self._approve(request, waiting[0])
        except FinClawError as refusal:
            self.message_user(request, refusal.message, messages.ERROR)
        return None

    def _approve(self, request: HttpRequest, row: ErasureRequest) -> None:
        assert isinstance(request.user, User)
        approve_request(row.pk, request.user)
        LogEntry.objects.log_actions(request.user.pk, [row], CHANGE, "Approved.")
        self.message_user(request, _("Approved. It is being erased, and invisible from now on."), messages.SUCCESS)

    @admin.action(description=_("Decline"), permissions=["decide"])
    def decline(self, request: HttpRequest, queryset: QuerySet[ErasureRequest]) -> HttpResponseBase | None:
        """Confirm, then decline; nothing is erased."""
        return govern_rows(
            self,
            request,
            _refusal(queryset.filter(state=State.PENDING)),
            row_by_row(lambda row, actor: decline_request(row.pk, User.objects.get(pk=actor))),
            note="Declined.",
            done=ngettext_lazy("%d request is declined.", "%d requests are declined."),
            nothing=_("None of the selected requests waits."),
        )


def _preview_lines(row: ErasureRequest) -> tuple[str, ...]:
    try:
        return preview_request(wish_of(row)).lines
    except FinClawError as refusal:
        return (refusal.message,)


def _approval(row: ErasureRequest) -> Confirmation:
    """The question before approving. Raises as ``preview_request``."""
    wish = wish_of(row)
    preview = preview_request(wish)
    return Confirmation(
        title=gettext("Erase this for the person?"),
        sentences=[
            gettext("Approve it only if you have seen the request of %(reference)s yourself. It cannot be undone.")
            % {"reference": row.reference},
            gettext("What goes: %(scope)s.") % {"scope": ErasureScope(row.scope).label},
            *(preview.lines or [gettext("Nothing is stored of it now.")]),
            gettext("The person sees afterwards that it was done on request; the audit log notes both your names."),
        ],
        action="approve",
        button=gettext("Approve and erase"),
        rows=[(row, wish.person.username)],
        stamp=preview.stamp,
        typed=wish.person.username,
    )


def _refusal(waiting: QuerySet[ErasureRequest]) -> Confirmation:
    return Confirmation(
        title=gettext("Decline these requests?"),
        sentences=[gettext("Nothing is erased. It can be asked for again. The audit log records your name.")],
        action="decline",
        button=gettext("Decline"),
        rows=[(row, row.reference) for row in waiting],
    )
