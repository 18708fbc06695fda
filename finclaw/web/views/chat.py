"""Pages of one conversation: read, open, end. Sending messages is in ``turns``."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from consent.permit import Permit
from finclaw.web.access import MemberView, htmx_of
from finclaw.web.bookmarks import show_knowledge_given
from finclaw.web.chat_end import build_end_input
from finclaw.web.learned_lines import learned_under
from finclaw.web.message_files import files_by_message
from finclaw.web.pagination import keyset_page
from finclaw.web.presenters import show_session, show_turn
from finclaw.web.research_documents import show_started_tasks
from finclaw.web.starters import starter_draft, starters_for
from finclaw.web.types import TemplateData
from finclaw.web.voice import mode_changes, mode_context
from foundation.accounts.models import User
from foundation.accounts.services import claim_tip
from foundation.llm import is_model_configured
from foundation.personal_data import ConsentScope
from memory.content_blocks import MAX_BLOCKS
from memory.exceptions import ReplyPending
from memory.historian.services import end
from memory.models import ConversationEvent, Session
from memory.research.profile_context import profile_context
from memory.services import sessions
from memory.services.reply_traces import traces_of

TURNS_SHOWN = 60


class LatestChat(MemberView):
    """The latest chat, or the place to start one."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Redirect to the latest chat, unless it has ended, or a new one or the list of older ones was asked for."""
        latest = sessions.sessions_of(self.permit).filter(group=None).first()
        if latest is not None and latest.archived_at is None and not request.GET:
            return redirect("web:chat_session", latest.pk)
        return render(request, "web/chat.html", chat_context(request, self.permit))


class ChatPage(MemberView):
    """One conversation."""

    def get(self, request: HttpRequest, session_id: UUID) -> HttpResponse:
        """The chat's messages, each answer with the memories it used; htmx asks again while a task of the chat runs."""
        session = sessions.session_of(self.permit, session_id)
        if not htmx_of(request):
            self._tip(request)
        return render(request, "web/chat.html", chat_context(request, self.permit, session))

    def _tip(self, request: HttpRequest) -> None:
        """Show the tip on preferences to a user who may keep them and has none."""
        if not self.permit.allows(ConsentScope.SAVE_TO_PROFILE) or profile_context(self.permit) is not None:
            return
        if claim_tip(self.user.pk):
            messages.info(request, _("Setting your preferences under Settings makes answers fit you better."))


class ChatNew(MemberView):
    """Opens a conversation."""

    def post(self, request: HttpRequest) -> HttpResponse:
        """Open it; nothing is learned from a temporary one."""
        remember = not request.POST.get("temporary")
        session = sessions.start_session(self.permit, self.user, remember=remember)
        return redirect("web:chat_session", session.pk)


class ChatEnd(MemberView):
    """Ends a conversation: what happened in it becomes events."""

    def post(self, request: HttpRequest, session_id: UUID) -> HttpResponse:
        """Hand the end to the historian and close the chat; a group's stays open for the others."""
        session = sessions.session_of(self.permit, session_id)
        try:
            receipt = end(self.permit, self.user, session, build_end_input(self.permit, self.user, session))
        except ReplyPending:
            return self.redirect_saying(
                _("An answer is still on its way. End the chat when it is there."),
                "web:chat_session",
                session_id,
                level=messages.WARNING,
            )
        sessions.mark_ended(session)
        if session.group_id is None:
            sessions.archive(session)
        if receipt.queued:
            messages.success(request, _("Chat ended. What happened in it will be listed under Events."))
        else:
            messages.info(request, _("Chat ended. Nothing from it was noted as an event."))
        return redirect(reverse("web:chat") + "?new=1")


def chat_context(request: HttpRequest, permit: Permit, session: Session | None = None, **more: Any) -> dict[str, Any]:
    """Everything ``web/chat.html`` shows."""
    chats = keyset_page(request, sessions.sessions_of(permit), "last_active_at")
    turns, earlier_url = _show_turns(request, permit, session) if session else ([], "")
    return {
        "session": show_session(session) if session else None,
        "sessions": [show_session(row) for row in chats.rows],
        "more_sessions_url": chats.older_url,
        "turns": turns,
        "earlier_url": earlier_url,
        "starters": () if turns else starters_for(permit),
        "draft": _initial_draft(request, permit, session),
        "media_url": reverse("api:media"),
        "most_files": MAX_BLOCKS - 1,
        "can_learn": permit.allows(ConsentScope.MEMORY_LEARNING),
        "stopped": permit.stopped,
        "model_offline": not is_model_configured(),
        "can_forget": session is not None and _has_part_in(permit, session),
        **mode_context(permit, session),
    } | more


def _initial_draft(request: HttpRequest, permit: Permit, session: Session | None) -> str:
    """The composer's initial text: a starter's beginning, or with ``?again=`` an earlier message of the user's in this
    chat.
    """
    again = _uuid(request.GET.get("again", ""))
    if session is None or again is None:
        return starter_draft(request, permit)
    own = session.events.filter(pk=again, user_id=permit.user_id, role=ConversationEvent.Role.USER, redacted_at=None)
    message = own.first()
    return message.text if message else ""


def _uuid(value: str) -> UUID | None:
    try:
        return UUID(value)
    except ValueError:
        return None


def _has_part_in(permit: Permit, session: Session) -> bool:
    """Whether the session is the user's, or they spoke in it."""
    return session.user_id == permit.user_id or session.events.filter(user_id=permit.user_id).exists()


def _show_turns(request: HttpRequest, permit: Permit, session: Session) -> tuple[list[TemplateData], str]:
    """The latest messages, or those before ``?earlier_than=<seq>``, and the address of earlier ones."""
    found = sessions.messages_of(session)
    earlier_than = request.GET.get("earlier_than", "")
    if earlier_than.isascii() and earlier_than.isdigit():
        found = found.filter(seq__lt=min(int(earlier_than), session.last_seq + 1))
    shown = _latest_messages(found, TURNS_SHOWN)
    traces = traces_of(permit, [message.pk for message in shown])
    has_earlier = bool(shown) and shown[0].seq > 1
    address = f"?earlier_than={shown[0].seq}" if has_earlier else ""
    learned = learned_under(permit, shown)
    started = show_started_tasks(permit, shown)
    changes = mode_changes(permit, session)
    user = request.user
    assert isinstance(user, User)
    knowledge = show_knowledge_given(permit, user, traces)
    files = files_by_message(permit, shown)
    turns = [
        show_turn(
            message, traces.get(message.pk), learned.get(message.pk), started.get(message.seq),
            changes.get(message.seq), knowledge.get(message.pk, ()), files.get(message.pk, ()),
        )
        for message in shown
    ]  # fmt: skip
    return turns, address


def _latest_messages(found: QuerySet[ConversationEvent], count: int) -> list[ConversationEvent]:
    """The last ``count`` messages, oldest first."""
    return list(found.reverse()[:count])[::-1]
