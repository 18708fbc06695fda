"""Admin page of users' consents, and the withdrawal of one on a user's behalf."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from consent.admin.withdrawal_effects import withdrawal_effects
from consent.models import AuditEvent, ProfileConsent
from consent.services import withdraw_consent
from foundation.admin import ReadOnlyAdmin, link_to, short_id
from foundation.database.acting_user import on_behalf_of
from foundation.exceptions import FinClawError
from foundation.governed_actions import Confirmation, ConfirmationChoice, is_confirmed, render_confirmation
from foundation.personal_data import ConsentScope

EVERYTHING = "everything"


@admin.register(ProfileConsent)
class ProfileConsentAdmin(ReadOnlyAdmin):
    """Users' consents. One governed action: withdrawing on a user's behalf. Nobody grants for another."""

    list_display = (
        link_to("user"), "version", *(scope.value for scope in ConsentScope), "changed_at", "revoked_at", "source",
        short_id("id"),
    )  # fmt: skip
    list_display_links = ("version",)
    list_filter = (*(scope.value for scope in ConsentScope), "source", ("revoked_at", admin.EmptyFieldListFilter))
    list_select_related = ("user",)
    search_fields = ("=id", "user__username")
    date_hierarchy = "changed_at"
    readonly_fields = ("versions",)
    actions = ("withdraw",)

    @admin.display(description=_("every version"))
    def versions(self, consent: ProfileConsent) -> SafeString:
        """The history, the latest first: when, from where, and which scopes held."""
        lines = [
            (version.version, version.changed_at.isoformat(" ", "minutes"), version.source, _scopes_in_force(version))
            for version in consent.history.order_by("-version")
        ]
        return format_html("<ul>{}</ul>", format_html_join("", "<li>{} · {} · {} · {}</li>", lines))

    def has_withdraw_permission(self, request: HttpRequest) -> bool:
        """Whether the operator may withdraw a consent at its user's request; nobody edits its fields."""
        return request.user.has_perm("consent.change_profileconsent")

    @admin.action(description=_("Withdraw on the person's behalf"), permissions=["withdraw"])
    def withdraw(self, request: HttpRequest, queryset: QuerySet[ProfileConsent]) -> HttpResponseBase | None:
        """Confirm what is withdrawn, with the effects of each choice; then withdraw, audited for the operator."""
        consent = queryset.filter(revoked_at=None).first()
        if consent is None or queryset.count() > 1:
            self.message_user(request, _("Choose one consent that is in force."), messages.WARNING)
            return None
        chosen = set(request.POST.getlist("choice")) & {EVERYTHING, *consent.scopes}
        if is_confirmed(request) and chosen and request.POST.get("stamp") == str(consent.version):
            self._withdraw(request, consent, chosen)
            return None
        if is_confirmed(request):
            sentence = _("Choose what is withdrawn.") if not chosen else _("The consent has changed. Look once more.")
            self.message_user(request, sentence, messages.WARNING)
        return render_confirmation(self, request, _withdrawal_confirmation(consent))

    def _withdraw(self, request: HttpRequest, consent: ProfileConsent, chosen: Collection[str]) -> None:
        actor = request.user.pk
        assert actor is not None  # the admin lets nobody anonymous in
        try:
            _withdraw_for(consent, [] if EVERYTHING in chosen else [ConsentScope(value) for value in chosen], actor)
        except FinClawError as refusal:
            self.message_user(request, refusal.message, messages.ERROR)
            return
        LogEntry.objects.log_actions(actor, [consent], CHANGE, "Withdrawn on the person's behalf.")
        self.message_user(request, _("Withdrawn. It holds from now on."), messages.SUCCESS)


def _withdraw_for(consent: ProfileConsent, scopes: list[ConsentScope], actor: UUID) -> None:
    with on_behalf_of(consent.user_id):
        withdraw_consent(consent.user, consent.pk, scopes, source=ProfileConsent.Source.OPERATOR)
        AuditEvent.objects.create(
            user_id=consent.user_id,
            actor_id=actor,
            action="consent.withdrawn",
            subject_id=consent.pk,
            counts={scope.value: 1 for scope in scopes or consent.scopes},
        )


def _withdrawal_confirmation(consent: ProfileConsent) -> Confirmation:
    held = [scope for scope in ConsentScope if scope in consent.scopes]
    names: dict[str, Any] = {field.name: field.verbose_name for field in consent._meta.concrete_fields}
    choices = [
        ConfirmationChoice(scope.value, str(names[scope.value]), withdrawal_effects(consent.user_id, scope))
        for scope in held
    ]
    whole = gettext("Every switch above, and the consent itself ends. Only its person can give a new one.")
    return Confirmation(
        title=gettext("Withdraw on this person's behalf?"),
        sentences=[
            gettext("Do this when the person asked for it. It cannot be undone: a new consent brings nothing back."),
            gettext("The consent's history says that an operator did it; the audit notes your name."),
        ],
        action="withdraw",
        button=gettext("Withdraw"),
        rows=[(consent, str(consent.user))],
        choices=[*choices, ConfirmationChoice(EVERYTHING, gettext("everything at once"), [whole])],
        stamp=str(consent.version),
    )


def _scopes_in_force(version: ProfileConsent) -> str:
    held = [scope.value for scope in ConsentScope if getattr(version, scope.value)]
    return ", ".join(held) or str(_("nothing allowed"))
