"""The form of a webhook: its address, and the events that are sent to it."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from finclaw.web.forms.refusals import RefusableForm
from foundation.webhooks.models import MAX_URL_CHARS, SUBSCRIBABLE, Webhook


class WebhookForm(RefusableForm):
    """An address and the events that are sent to it."""

    url = forms.CharField(
        label=_("Address"),
        max_length=MAX_URL_CHARS,
        help_text=_("It begins with https:// and leads to the public internet."),
        widget=forms.URLInput(attrs={"autocomplete": "off", "placeholder": "https://example.com/hook"}),
    )
    events = forms.MultipleChoiceField(
        label=_("It is told when…"),
        choices=[(event.value, event.label) for event in SUBSCRIBABLE],
        widget=forms.CheckboxSelectMultiple,
    )


def webhook_form_of(webhook: Webhook) -> WebhookForm:
    """The form as it stands."""
    return WebhookForm(initial={"url": webhook.url, "events": webhook.events})
