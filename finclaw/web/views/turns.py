"""Sends a chat message; the answer is streamed where scripts run, else the page is reloaded with it.

No transaction is held here: ``finclaw.brain.turn`` opens its own around each piece.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import structlog
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from consent.exceptions import ProfileConsentRequired
from consent.sensitive.exceptions import SensitiveInput
from consent.sensitive.services import redact_text
from consent.services import permit_for
from finclaw.brain.answers.fallback_answers import Interruption
from finclaw.brain.answers.types import PreparedTurn
from finclaw.brain.turn import prepare, repeated_request, reply, stream
from finclaw.brain.types import TurnRequest, TurnResult
from finclaw.statuses import STATUS_OF
from finclaw.web.bookmarks import show_knowledge_given
from finclaw.web.forms.memories import MessageForm
from finclaw.web.learned_lines import learned_under
from finclaw.web.presenters import show_session, show_turn
from finclaw.web.research_documents import show_started_tasks
from finclaw.web.views.chat import chat_context
from finclaw.web.voice import mode_changes, mode_context
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import FinClawError, NotFound, ValidationFailed
from knowledge.types import Platform
from memory.content_blocks import TEXT, checked_blocks
from memory.models import ConversationEvent
from memory.services import sessions
from memory.services.reply_traces import traces_of

log = structlog.get_logger(__name__)


@transaction.non_atomic_requests
@require_POST
@login_required
def chat_send(request: HttpRequest, session_id: UUID) -> HttpResponseBase:
    """Answer a message of the signed-in user; if it is refused, their text is given back in the form."""
    user = request.user
    assert isinstance(user, User)
    streaming = request.GET.get("stream") == "true"
    try:
        turn_request = _turn_request(request, user, session_id)
        if streaming:
            return _stream_response(request, prepare(user, turn_request))
        reply(user, turn_request)
    except NotFound:
        raise
    except ProfileConsentRequired:
        return redirect("web:onboarding")
    except FinClawError as error:
        return _refuse_message(request, user, session_id, error, streaming=streaming)
    return redirect(reverse("web:chat_session", args=[session_id]) + "#latest")


@transaction.non_atomic_requests
@require_POST
@login_required
def chat_retry(request: HttpRequest, session_id: UUID, message_id: UUID) -> HttpResponseBase:
    """Ask the model again about a message that it failed to answer; until it succeeds, the answer from memory stays."""
    user = request.user
    assert isinstance(user, User)
    streaming = request.GET.get("stream") == "true"
    try:
        turn_request = replace(repeated_request(user, message_id), platform=Platform.WEB)
        if streaming:
            return _stream_response(request, prepare(user, turn_request))
        reply(user, turn_request)
    except NotFound:
        raise
    except FinClawError as error:
        if streaming:
            return _refusal(error)
        messages.warning(request, error.message)
    return redirect(reverse("web:chat_session", args=[session_id]) + f"#message-{message_id}")


@transaction.non_atomic_requests
@require_POST
@login_required
def chat_start(request: HttpRequest) -> HttpResponseBase:
    """Open a chat with its first message, without scripts; no chat is opened for a message that is refused."""
    user = request.user
    assert isinstance(user, User)
    try:
        _message_blocks(request, user)
        with acting_as(user.pk):
            remember = not request.POST.get("temporary")
            session = sessions.start_session(permit_for(user), user, remember=remember)
    except ProfileConsentRequired:
        return redirect("web:onboarding")
    except FinClawError as error:
        return _refuse_message(request, user, None, error, streaming=False)
    return chat_send(request, session.pk)


def _turn_request(request: HttpRequest, user: User, session_id: UUID) -> TurnRequest:
    return TurnRequest(session_id, _message_blocks(request, user), platform=Platform.WEB)


def _message_blocks(request: HttpRequest, user: User) -> tuple[dict[str, Any], ...]:
    """The message as it is to be stored. Raises ``ValidationFailed``, ``SensitiveInput``."""
    # A starter is sent by its own button, while the composer is empty.
    form = MessageForm({"content": request.POST.get("starter") or request.POST.get("content", "")})
    if not form.is_valid():
        raise ValidationFailed(" ".join(map(str, form.errors["content"])))
    said = {"type": TEXT, "text": form.cleaned_data["content"]}
    return checked_blocks([said, *_file_blocks(request)], [user.name], with_files=True)


def _file_blocks(request: HttpRequest) -> list[dict[str, Any]]:
    """The files that come with the message; what they are is known of them. Raises ``ValidationFailed``."""
    try:
        return [{"type": "document", "media_id": UUID(value)} for value in request.POST.getlist("media_id")]
    except ValueError:
        raise ValidationFailed(_("Attach the file again: it was not found.")) from None


def _refuse_message(
    request: HttpRequest, user: User, session_id: UUID | None, error: FinClawError, *, streaming: bool
) -> HttpResponse:
    status = STATUS_OF.get(error.code, 400)
    # Pages cannot send more than this, counting two characters per line end; more is cut before it is searched.
    draft = redact_text(request.POST.get("content", "")[: 2 * settings.MAX_MESSAGE_CHARS].replace("\x00", ""))
    if streaming:
        return _refusal(error, **({"draft": draft} if isinstance(error, SensitiveInput) else {}))
    given_back = {"draft": draft, "temporary": bool(request.POST.get("temporary")), "send_error": _refusal_text(error)}
    with acting_as(user.pk), timezone.override(ZoneInfo(user.time_zone)):
        permit = permit_for(user)
        session = sessions.session_of(permit, session_id) if session_id else None
        return render(request, "web/chat.html", chat_context(request, permit, session, **given_back), status=status)


def _refusal(error: FinClawError, **given_back: str) -> JsonResponse:
    """Why a stream does not begin."""
    headers = {} if error.retry_after is None else {"Retry-After": str(error.retry_after)}
    told = {"code": error.code, "message": _refusal_text(error)} | given_back
    return JsonResponse(told, status=STATUS_OF.get(error.code, 400), headers=headers)


def _refusal_text(error: FinClawError) -> str:
    """Why there is no answer; for sensitive input, also that it was removed from the text given back."""
    if not isinstance(error, SensitiveInput):
        return error.message
    return _(
        "None of it was saved: it seems to hold what is never written down here (%(what)s), so that is cut out of your "
        "text below."
    ) % {"what": error.named}


def _stream_response(request: HttpRequest, turn: PreparedTurn) -> StreamingHttpResponse:
    response = StreamingHttpResponse(_stream_events(request, turn), content_type="text/event-stream")
    response["X-Accel-Buffering"] = "no"  # tells proxies not to buffer the stream
    return response


def _stream_events(request: HttpRequest, turn: PreparedTurn) -> Iterator[str]:
    """The stream: ``delta`` pieces, then ``done``; or ``error`` at any time, and then nothing is stored. After
    ``interrupted`` the pieces begin anew. It runs after the middleware has ended, so it sets the page's language anew.
    """
    with translation.override(request.LANGUAGE_CODE):
        try:
            with closing(stream(turn)) as pieces:
                for piece in pieces:
                    if isinstance(piece, TurnResult):
                        shown = _done_event(request, turn, piece)
                        yield _event_frame(
                            "done", message_id=str(piece.message_id), title=turn.context.session.title, **shown
                        )
                    elif isinstance(piece, Interruption):
                        yield _event_frame("interrupted", code=piece.error.code)
                    else:
                        yield _event_frame("delta", text=piece)
        except FinClawError as error:
            yield _event_frame("error", code=error.code, message=error.message)
        except Exception as error:  # noqa: BLE001  the status line is gone: the stream itself must say it
            log.error("stream_failed", error=type(error).__name__)
            yield _event_frame("error", code=FinClawError.code, message=FinClawError.default_message)


def _done_event(request: HttpRequest, turn: PreparedTurn, result: TurnResult) -> dict[str, str]:
    """The stored answer as the page shows it after a reload, in the request's language, and the mode from now on, which
    the message may have changed.
    """
    user = turn.context.user
    with acting_as(user.pk), timezone.override(ZoneInfo(user.time_zone)):
        permit = permit_for(user)
        traces = traces_of(permit, [result.message_id])
        message = ConversationEvent.objects.get(pk=result.message_id)
        question = sessions.message_before(message)
        started = show_started_tasks(permit, [question]).get(message.seq) if question and result.skill else None
        session = sessions.session_of(permit, message.session_id)
        change = mode_changes(permit, session).get(message.seq)
        known = show_knowledge_given(permit, user, traces).get(message.pk, ())
        context = {
            "turn": show_turn(message, traces.get(message.pk), started=started, mode_change=change, knowledge=known),
            "session_id": message.session_id,
        }
        is_new = turn.context.request.repeats is None  # else the page shows already what was learned from it
        learned = learned_under(permit, [question]).get(question.pk) if question and is_new else None
        mode = {"session": show_session(session), **mode_context(permit, session)}
        return {
            "html": render_to_string("web/partials/chat_message.html", context, request),
            "learned": render_to_string("web/partials/chat_learned.html", {"learned": learned}, request).strip(),
            "mode": render_to_string("web/partials/chat_mode.html", mode, request),
            "mode_panel": render_to_string("web/partials/chat_mode_panel.html", mode, request),
        }


def _event_frame(name: str, **data: Any) -> str:
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
