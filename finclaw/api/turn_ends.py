"""Serves ``POST …/end``: a program hands the historian what a turn of its own came to."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.urls import path
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from finclaw.api.base import ApiView
from finclaw.api.masking import MayBeMasked, masked_in
from finclaw.api.operations import located, raises
from finclaw.api.serializers import BoundedList, MomentField, StrictSerializer, TimeZoneField, message_text
from foundation.exceptions import NotFound
from memory.historian.services import end
from memory.services.sessions import session_of
from memory.services.turn_leases import take_lease_away
from memory.types import EndInput

REQUEST_ID = r"[A-Za-z0-9._:@=+-]{1,80}"
MAX_SEQ = 2_147_483_647  # PostgreSQL's integer
MAX_MESSAGE_IDS = 100


class EndBody(StrictSerializer):
    request_id = serializers.RegexField(f"^{REQUEST_ID}$")
    end_seq = serializers.IntegerField(min_value=1, max_value=MAX_SEQ, default=1)
    action_summary = message_text(default="", allow_blank=True)
    new_info = message_text(default="", allow_blank=True)
    summary = message_text(default="", allow_blank=True, help_text="Legacy: stands in for action_summary.")
    force = serializers.BooleanField(
        default=False, help_text="End though a reply is on its way, and free the conversation for the next message."
    )
    occurred_at = MomentField(required=False, allow_null=True)
    message_ids = BoundedList(child=serializers.UUIDField(), max_length=MAX_MESSAGE_IDS, default=list)
    sender_id = serializers.UUIDField(required=False, allow_null=True)
    location = serializers.CharField(max_length=120, default="", allow_blank=True)
    time_zone = TimeZoneField(max_length=64, default="", allow_blank=True)


class EndOutput(MayBeMasked):
    event_id = serializers.CharField(allow_null=True)
    queued = serializers.BooleanField()
    reason = serializers.ChoiceField(
        choices=["empty", "cognitive_disabled", "consent_scope_missing", "temporary_session"], allow_null=True
    )
    job_id = serializers.UUIDField(allow_null=True)


class EndView(ApiView):
    @located("job", "job_id", status=202)
    @raises("reply_pending")
    @extend_schema(operation_id="session_end", request=EndBody, responses={202: EndOutput})
    def post(self, request: Request, session_id: UUID) -> Response:
        """End a turn. Succeeds without consent too: then nothing is queued, and ``reason`` says so."""
        given = self.valid(EndBody)
        ending = self._read_input(given)
        masked = masked_in([self.user.name], action_summary=ending.action_summary, new_info=ending.new_info)
        return self.once(
            202,
            lambda: self._end(session_id, ending),
            lambda stored: (
                EndOutput({"event_id": ending.event_id if stored["queued"] else None} | stored | masked).data
            ),
        )

    def _end(self, session_id: UUID, ending: EndInput) -> dict[str, Any]:
        """End the turn; returns the part of the answer that is stored for a repeated request.

        ``event_id`` is not part of it: it follows from the request, and holds a word of the caller's.
        """
        session = session_of(self.permit, session_id)
        receipt = end(self.permit, self.user, session, ending)
        if ending.force:
            take_lease_away(session)
        job_id = str(receipt.job_id) if receipt.job_id else None
        return {"queued": receipt.queued, "reason": receipt.reason, "job_id": job_id}

    def _read_input(self, given: dict[str, Any]) -> EndInput:
        """The validated ``end``. Raises ``NotFound`` for another sender than the user."""
        if given.pop("sender_id", None) not in {None, self.user.pk}:
            raise NotFound(_("The sender is not you."))
        legacy = given.pop("summary")
        return EndInput(**given | {
            "action_summary": given["action_summary"] or legacy,
            "message_ids": tuple(given["message_ids"]),
        })  # fmt: skip


urlpatterns = [path("sessions/<uuid:session_id>/end", EndView.as_view(), name="end")]
