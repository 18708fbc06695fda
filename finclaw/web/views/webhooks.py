"""Pages of webhooks: add one, see its deliveries, send again, switch off, renew its secret, delete it."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from consent.exceptions import ConsentScopeMissing
from finclaw.web.access import MemberView
from finclaw.web.forms.webhooks import WebhookForm, webhook_form_of
from finclaw.web.pagination import keyset_page
from finclaw.web.types import TemplateData
from finclaw.webhook_deliveries import resend_permitted
from foundation.database.acting_user import acting_as
from foundation.exceptions import ValidationFailed
from foundation.webhooks import services
from foundation.webhooks.models import Webhook, WebhookDelivery, WebhookEvent

DELIVERIES_SHOWN: Final = 20
_FAILURES: Final = {
    "timeout": gettext_lazy("no answer in time"),
    "unreachable": gettext_lazy("could not be reached"),
    "refused": gettext_lazy("refused"),
    "not_found": gettext_lazy("its name leads nowhere"),
    "private": gettext_lazy("its name leads into a private network"),
    "insecure": gettext_lazy("the address does not begin with https://"),
    "malformed": gettext_lazy("the address cannot be read"),
}


class WebhookFormView(MemberView):
    """Base of the pages with the form; the DNS look-up of its address happens outside any transaction."""

    refusal: ValidationFailed | None = None

    def before_transaction(self) -> None:
        """Resolve the address and check that it is allowed; only for a new webhook, or one of the user's own."""
        if self.request.method != "POST" or not self._may_look_up():
            return
        form = WebhookForm(self.request.POST)
        if form.is_valid():
            try:
                services.require_allowed_address(form.cleaned_data["url"])
            except ValidationFailed as refusal:
                self.refusal = refusal

    def _may_look_up(self) -> bool:
        return True

    def checked_form(self) -> WebhookForm:
        """The form that was sent, with what is wrong with its address on it."""
        form = WebhookForm(self.request.POST)
        if self.refusal is not None:
            for field, sentences in self.refusal.details.items():
                form.add_error(field, sentences)
        return form


class WebhooksPage(WebhookFormView):
    """All webhooks, and a form that adds one."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._render_page(WebhookForm())

    def post(self, request: HttpRequest) -> HttpResponse:
        """Add a webhook; its secret is shown in the answer alone."""
        form = self.checked_form()
        made = form.attempt(lambda: services.create_webhook(self.user.pk, **form.cleaned_data))
        return self._render_page(form) if made is None else self._render_page(WebhookForm(), made.secret)

    def _render_page(self, form: WebhookForm, new_secret: str = "") -> HttpResponse:
        shown = [show_webhook(webhook) for webhook in services.webhooks_of(self.user.pk)]
        context = {"form": form, "new_secret": new_secret, "webhooks": shown}
        return render(self.request, "web/webhooks.html", context, status=400 if form.errors else 200)


class WebhookPage(WebhookFormView):
    """One webhook with its deliveries, and a form that changes it."""

    def _may_look_up(self) -> bool:
        with acting_as(self.user.pk):
            return services.webhooks_of(self.user.pk).filter(pk=self.kwargs["webhook_id"]).exists()

    def get(self, request: HttpRequest, webhook_id: UUID) -> HttpResponse:
        return self.render_page(services.webhook_of(self.user.pk, webhook_id))

    def post(self, request: HttpRequest, webhook_id: UUID) -> HttpResponse:
        """Save the address and the events."""
        webhook, form = services.webhook_of(self.user.pk, webhook_id), self.checked_form()
        if form.attempt(lambda: services.change_webhook(webhook, **form.cleaned_data)) is None:
            return self.render_page(services.webhook_of(self.user.pk, webhook_id), form)
        return self.redirect_saying(_("The webhook is saved."), "web:webhook", webhook_id)

    def render_page(self, webhook: Webhook, form: WebhookForm | None = None, new_secret: str = "") -> HttpResponse:
        """The page, with a new secret once it was renewed."""
        page = keyset_page(self.request, services.deliveries_of(webhook), "created_at", DELIVERIES_SHOWN)
        context: dict[str, Any] = {
            "webhook": show_webhook(webhook),
            "form": form or webhook_form_of(webhook),
            "new_secret": new_secret,
            "deliveries": [_show_delivery(delivery) for delivery in page.rows],
            "newer_url": page.newer_url,
            "older_url": page.older_url,
        }
        return render(self.request, "web/webhook.html", context, status=400 if form and form.errors else 200)


class WebhookSecret(WebhookPage):
    """Renews the secret, which is shown in the answer alone."""

    http_method_names = ("post", "options")

    def before_transaction(self) -> None:
        """Look nothing up."""

    def post(self, request: HttpRequest, webhook_id: UUID) -> HttpResponse:
        renewed = services.rotate_secret(services.webhook_of(self.user.pk, webhook_id))
        return self.render_page(renewed, new_secret=renewed.secret)


class WebhookAct(MemberView):
    """Base of what a button does: answers with the page, which says how it ended."""

    http_method_names = ("post", "options")

    def post(self, request: HttpRequest, webhook_id: UUID, **named: UUID) -> HttpResponse:
        webhook = services.webhook_of(self.user.pk, webhook_id)
        try:
            sentence, level = self.act(webhook, **named), messages.SUCCESS
        except ValidationFailed as refusal:
            sentence, level = " ".join(refusal.details.get("is_active", [refusal.message])), messages.ERROR
        except ConsentScopeMissing:
            sentence, level = _("To send this again, allow me to learn from you under Privacy."), messages.ERROR
        return self.redirect_saying(sentence, "web:webhook", webhook_id, level=level)

    def act(self, webhook: Webhook, **named: UUID) -> str:
        """Carry out the act, and return the sentence that confirms it."""
        raise NotImplementedError


class WebhookSwitch(WebhookAct):
    """Switches a webhook off, or on again."""

    def act(self, webhook: Webhook, **named: UUID) -> str:
        changed = services.change_webhook(webhook, is_active=not webhook.is_active)
        return _("The webhook is on.") if changed.is_active else _("The webhook is off, and what waited is cancelled.")


class WebhookTest(WebhookAct):
    """Sends a test."""

    def act(self, webhook: Webhook, **named: UUID) -> str:
        services.ping(webhook)
        return _("A test is on its way.")


class WebhookResend(WebhookAct):
    """Sends an event once more."""

    def act(self, webhook: Webhook, **named: UUID) -> str:
        resend_permitted(self.permit, services.delivery_of(self.user.pk, named["delivery_id"], webhook))
        return _("It is sent again.")


class WebhookForget(MemberView):
    """Deletes a webhook, and the list of its deliveries."""

    def get(self, request: HttpRequest, webhook_id: UUID) -> HttpResponse:
        """Ask for confirmation."""
        webhook = services.webhook_of(self.user.pk, webhook_id)
        return render(request, "web/webhook_forget.html", {"webhook": show_webhook(webhook)})

    def post(self, request: HttpRequest, webhook_id: UUID) -> HttpResponse:
        services.webhook_of(self.user.pk, webhook_id).delete()
        messages.success(request, _("The webhook is forgotten."))
        return redirect("web:webhooks")


def show_webhook(webhook: Webhook) -> TemplateData:
    """A webhook as its pages show it, without its secret."""
    rests = webhook.paused_until is not None and webhook.paused_until > timezone.now()
    return {
        "webhook_id": webhook.pk,
        "url": webhook.url,
        "events": [WebhookEvent(event).label for event in webhook.events],
        "is_active": webhook.is_active,
        "rests_until": webhook.paused_until if rests else None,
        "failures": webhook.failures,
        "created_at": webhook.created_at,
    }


def _show_delivery(delivery: WebhookDelivery) -> TemplateData:
    return {
        "delivery_id": delivery.pk,
        "event": WebhookEvent(delivery.event).label,
        "state": delivery.state,
        "state_label": WebhookDelivery.State(delivery.state).label,
        "status_code": delivery.status_code,
        "failure": _FAILURES.get(delivery.failure, delivery.failure),
        "attempts": delivery.attempts,
        "next_attempt_at": delivery.next_attempt_at,
        "created_at": delivery.created_at,
    }
