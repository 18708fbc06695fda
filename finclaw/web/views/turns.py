"""Sending a message: answered in a stream where scripts run, by a reload where they do not.

No transaction is held here: ``finclaw.brain.turn`` opens its own around each piece.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import structlog
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.views.decorators.http import require_POST

from consent.exceptions import ProfileConsentRequired
from consent.sensitive.services import redacted
from consent.services import permit_for
from finclaw.brain.turn import PreparedTurn, prepare, reply, stream
from finclaw.brain.types import TurnRequest, TurnResult
from finclaw.statuses import STATUS_OF
from finclaw.web.forms.memories import MessageForm
from finclaw.web.presenters import show_turn
from finclaw.web.views.chat import chat_context
from foundation.accounts.models import User
from foundation.database.acting import acting_as
from foundation.exceptions import FinClawError, NotFound, ValidationFailed
from memory.content import TEXT, checked_blocks
from memory.models import ConversationEvent
from memory.services import sessions
from memory.services.remembered import traces_of

log = structlog.get_logger(__name__)

_MAY_CORRECT = frozenset({"correction", "statement", "chat"})


@transaction.non_atomic_requests
@require_POST
@login_required
def chat_send(request: HttpRequest, session_id: UUID) -> HttpResponseBase:
    """Answer a message of the signed-in person; their text is given back whenever it was not answered."""
    user = request.user
    assert isinstance(user, User)
    streaming = request.GET.get("stream") == "true"
    try:
        turn_request = _turn_request(request, user, session_id)
        if streaming:
            return _streamed(request, prepare(user, turn_request))
        reply(user, turn_request)
    except NotFound:
        raise
    except ProfileConsentRequired:
        return redirect("web:onboarding")
    except FinClawError as error:
        return _refused(request, user, session_id, error, streaming=streaming)
    return redirect(reverse("web:chat_session", args=[session_id]) + "#latest")


def _turn_request(request: HttpRequest, user: User, session_id: UUID) -> TurnRequest:
    form = MessageForm(request.POST)
    if not form.is_valid():
        raise ValidationFailed(" ".join(map(str, form.errors["content"])))
    block = {"type": TEXT, "text": form.cleaned_data["content"]}
    return TurnRequest(session_id, checked_blocks([block], [user.name]))


def _refused(
    request: HttpRequest, user: User, session_id: UUID, error: FinClawError, *, streaming: bool
) -> HttpResponse:
    status = STATUS_OF.get(error.code, 400)
    if streaming:
        return JsonResponse({"code": error.code, "message": error.message}, status=status)
    draft = redacted(request.POST.get("content", "").replace("\x00", ""))
    with acting_as(user.pk), timezone.override(ZoneInfo(user.time_zone)):
        permit = permit_for(user)
        session = sessions.session_of(permit, session_id)
        context = chat_context(request, permit, session, draft=draft, send_error=error.message)
        return render(request, "web/chat.html", context, status=status)


def _streamed(request: HttpRequest, turn: PreparedTurn) -> StreamingHttpResponse:
    response = StreamingHttpResponse(_events(request, turn), content_type="text/event-stream")
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"  # a proxy that collects the stream would undo it
    return response


def _events(request: HttpRequest, turn: PreparedTurn) -> Iterator[str]:
    """The stream: ``delta`` pieces, then ``done``; or ``error`` at any time, and then nothing is stored."""
    try:
        with closing(stream(turn)) as pieces:
            for piece in pieces:
                if isinstance(piece, TurnResult):
                    html = _finished(request, turn, piece)
                    yield _event("done", message_id=str(piece.message_id), html=html, title=turn.session.title)
                else:
                    yield _event("delta", text=piece)
    except FinClawError as error:
        yield _event("error", code=error.code, message=error.message)
    except Exception as error:  # noqa: BLE001  the status line is gone: the stream itself must say it
        log.error("stream_failed", error=type(error).__name__)
        yield _event("error", code=FinClawError.code, message=FinClawError.default_message)


def _finished(request: HttpRequest, turn: PreparedTurn, result: TurnResult) -> str:
    """The stored answer as the page will show it after a reload, in the language the request was read in."""
    user = turn.user
    language = translation.get_language_from_request(request)
    with acting_as(user.pk), timezone.override(ZoneInfo(user.time_zone)), translation.override(language):
        traces = traces_of(permit_for(user), [result.message_id])
        message = ConversationEvent.objects.get(pk=result.message_id)
        context = {
            "turn": show_turn(message, traces.get(message.pk)),
            "session_id": message.session_id,
            "may_correct": turn.session.remember and result.intent.intent_type in _MAY_CORRECT,
        }
        return render_to_string("web/partials/chat_message.html", context, request)


def _event(name: str, **data: Any) -> str:
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
