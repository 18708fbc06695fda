"""Webhooks: addresses of one's programs that are told when something happens to one's memory, and what they were told.

A request is signed as https://www.standardwebhooks.com says. It names what it speaks of by id, and holds no word of it.
"""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from finclaw.api.base import ApiView, NonAtomicView
from finclaw.api.operations import LEARNS, located, raises
from finclaw.api.schema import NO_CONTENT, PAGE, page_of
from finclaw.api.serializers import BoundedList, StrictSerializer
from finclaw.webhook_deliveries import resend_permitted
from foundation.webhooks import services
from foundation.webhooks.models import MAX_URL_CHARS, SUBSCRIBABLE, Webhook, WebhookDelivery

_EVENTS = [(event.value, event.label) for event in SUBSCRIBABLE]


class WebhookInput(StrictSerializer):
    url = serializers.CharField(
        max_length=MAX_URL_CHARS, help_text="Begins with https://, and leads into no private network."
    )
    events = BoundedList(child=serializers.ChoiceField(choices=_EVENTS), min_length=1, max_length=len(_EVENTS))


class WebhookChange(WebhookInput):
    is_active = serializers.BooleanField(required=False)


class WebhookOutput(serializers.ModelSerializer[Webhook]):
    webhook_id = serializers.UUIDField(source="id")
    events = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = Webhook
        fields = ("webhook_id", "url", "events", "is_active", "failures", "paused_until", "created_at")


class WebhookWithSecretOutput(WebhookOutput):
    class Meta(WebhookOutput.Meta):
        fields = (*WebhookOutput.Meta.fields, "secret")  # type: ignore[assignment]


class DeliveryOutput(serializers.ModelSerializer[WebhookDelivery]):
    delivery_id = serializers.UUIDField(source="id", help_text="The ``webhook-id`` of every attempt.")

    class Meta:
        model = WebhookDelivery
        fields = ("delivery_id", "event", "subject_id", "state", "attempts", "status_code", "failure",
                  "next_attempt_at", "created_at", "finished_at")  # fmt: skip


class WebhooksView(NonAtomicView):
    @extend_schema(operation_id="webhook_list", parameters=PAGE, responses=page_of(WebhookOutput))
    def get(self, request: Request) -> Response:
        """Your webhooks, newest first, without their secrets."""
        with self.acting():
            return self.page(services.webhooks_of(self.user.pk), WebhookOutput, ordering="-created_at")

    @located("webhook", "webhook_id", status=201)
    @extend_schema(operation_id="webhook_create", request=WebhookInput, responses={201: WebhookWithSecretOutput})
    def post(self, request: Request) -> Response:
        """Add a webhook. Its ``secret``, which signs every request, is told here alone."""
        given = self.valid(WebhookInput)
        services.require_allowed_address(given["url"])
        with self.acting():
            make = partial(services.create_webhook, self.user.pk, **given)
            return self.once(201, make, partial(_show_with_secret, self.user.pk))


class WebhookView(NonAtomicView):
    @extend_schema(operation_id="webhook_retrieve", responses=WebhookOutput)
    def get(self, request: Request, webhook_id: UUID) -> Response:
        """One webhook. ``failures`` counts those in a row; nothing is sent before ``paused_until``."""
        with self.acting():
            return Response(WebhookOutput(services.webhook_of(self.user.pk, webhook_id)).data)

    @extend_schema(operation_id="webhook_update", request=WebhookChange, responses=WebhookOutput)
    def patch(self, request: Request, webhook_id: UUID) -> Response:
        """Change the address or the events. Switched off, it is told nothing, and what waits is cancelled."""
        given = self.valid(WebhookChange, partial=True)
        with self.acting():
            services.webhook_of(self.user.pk, webhook_id)
        if "url" in given:
            services.require_allowed_address(given["url"])
        with self.acting():
            changed = services.change_webhook(services.webhook_of(self.user.pk, webhook_id), **given)
            return Response(WebhookOutput(changed).data)

    @extend_schema(operation_id="webhook_delete", responses=NO_CONTENT)
    def delete(self, request: Request, webhook_id: UUID) -> Response:
        """Delete a webhook, and the list of what it was told."""
        with self.acting():
            services.webhook_of(self.user.pk, webhook_id).delete()
        return Response(status=204)


class WebhookSecretView(ApiView):
    @extend_schema(operation_id="webhook_rotate_secret", request=None, responses=WebhookWithSecretOutput)
    def post(self, request: Request, webhook_id: UUID) -> Response:
        """A new secret, told here alone. For a day requests are signed by the one before too."""
        webhook = services.webhook_of(self.user.pk, webhook_id)
        return self.once(200, lambda: services.rotate_secret(webhook), partial(_show_with_secret, self.user.pk))


class WebhookPingView(ApiView):
    @extend_schema(operation_id="webhook_ping", request=None, responses={202: DeliveryOutput})
    def post(self, request: Request, webhook_id: UUID) -> Response:
        """Send a test, an event ``ping``; the one that still waits, if any."""
        webhook = services.webhook_of(self.user.pk, webhook_id)
        return self.once(202, lambda: services.ping(webhook), partial(_show_delivery, self.user.pk))


class WebhookDeliveriesView(ApiView):
    @extend_schema(operation_id="webhook_delivery_list", parameters=PAGE, responses=page_of(DeliveryOutput))
    def get(self, request: Request, webhook_id: UUID) -> Response:
        """What a webhook was told in the last 30 days, and how it answered, newest first."""
        webhook = services.webhook_of(self.user.pk, webhook_id)
        return self.page(services.deliveries_of(webhook), DeliveryOutput, ordering="-created_at")


class WebhookResendView(ApiView):
    @raises(*LEARNS)
    @extend_schema(operation_id="webhook_delivery_resend", request=None, responses={202: DeliveryOutput})
    def post(self, request: Request, webhook_id: UUID, delivery_id: UUID) -> Response:
        """Tell an event once more, under the same id. One of a memory needs the consent to learning still."""
        webhook = services.webhook_of(self.user.pk, webhook_id)
        delivery = services.delivery_of(self.user.pk, delivery_id, webhook)
        send = partial(resend_permitted, self.permit, delivery)
        return self.once(202, send, partial(_show_delivery, self.user.pk))


def _show_with_secret(user_id: UUID, webhook_id: UUID) -> dict[str, Any]:
    return dict(WebhookWithSecretOutput(services.webhook_of(user_id, webhook_id)).data)


def _show_delivery(user_id: UUID, delivery_id: UUID) -> dict[str, Any]:
    return dict(DeliveryOutput(services.delivery_of(user_id, delivery_id)).data)


_ONE = "webhooks/<uuid:webhook_id>"
urlpatterns = [
    path("webhooks", WebhooksView.as_view(), name="webhooks"),
    path(_ONE, WebhookView.as_view(), name="webhook"),
    path(f"{_ONE}/secret", WebhookSecretView.as_view(), name="webhook_secret"),
    path(f"{_ONE}/ping", WebhookPingView.as_view(), name="webhook_ping"),
    path(f"{_ONE}/deliveries", WebhookDeliveriesView.as_view(), name="webhook_deliveries"),
    path(f"{_ONE}/deliveries/<uuid:delivery_id>/resend", WebhookResendView.as_view(), name="webhook_delivery_resend"),
]
