"""Pages on chats as a whole: rename, reopen, search."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from finclaw.web.access import MemberView
from finclaw.web.forms.chats import ChatRenameForm, ChatSearchForm
from finclaw.web.pagination import keyset_page
from finclaw.web.presenters import show_session
from finclaw.web.types import TemplateData
from foundation.exceptions import ValidationFailed
from foundation.personal_data import ConsentScope
from foundation.text import snippet
from memory.exceptions import MemoryUnavailable
from memory.models import ConversationEvent
from memory.retrieval.message_search import search_messages
from memory.retrieval.services import EmbeddedQuery, embed_query
from memory.services import sessions

FOUND_SHOWN = 30
SNIPPET_CHARS = 240
LATER_SHOWN = 20  # messages shown behind the one found


class ChatRename(MemberView):
    """Renames a chat."""

    def post(self, request: HttpRequest, session_id: UUID) -> HttpResponse:
        """Save the name. Raises ``SensitiveInput`` for one that holds sensitive input."""
        session = sessions.session_of(self.permit, session_id)
        form = ChatRenameForm(request.POST)
        if not form.is_valid():
            raise ValidationFailed(" ".join(map(str, form.errors["title"])))
        sessions.rename(session, form.cleaned_data["title"])
        return redirect("web:chat_session", session_id)


class ChatReopen(MemberView):
    """Reopens an ended chat."""

    def post(self, request: HttpRequest, session_id: UUID) -> HttpResponse:
        """Open it for new messages; its events stay."""
        sessions.reopen(sessions.session_of(self.permit, session_id))
        return self.redirect_saying(
            _("The chat is open again. Go on where you left off."),
            reverse("web:chat_session", args=[session_id]) + "#latest",
        )


class ChatSearch(MemberView):
    """Searches the user's own chats by words and meaning. Its address is non-atomic."""

    query = ""
    embedded: EmbeddedQuery | None = None

    def before_transaction(self) -> None:
        """Embed the query, which may ask a model."""
        self.query = ChatSearchForm(self.request.GET).query
        if self.query:
            self.embedded = embed_query(self.query)

    def get(self, request: HttpRequest) -> HttpResponse:
        """The messages found, best first, each with the words around the match."""
        found, degraded = self._search()
        chats = keyset_page(request, sessions.sessions_of(self.permit), "last_active_at")
        context = {
            "query": self.query,
            "found": found,
            "degraded": degraded,
            "can_learn": self.permit.allows(ConsentScope.MEMORY_LEARNING),
            "sessions": [show_session(session) for session in chats.rows],
            "more_sessions_url": "",
        }
        return render(request, "web/chat_search.html", context)

    def _search(self) -> tuple[list[TemplateData], tuple[str, ...]]:
        if self.embedded is None:
            return [], ()
        try:
            found = search_messages(self.permit, self.embedded, FOUND_SHOWN)
        except MemoryUnavailable as error:
            return [], (*self.embedded.degraded, error.code)
        return [_show_found(message, self.query) for message, _hit in found.messages], found.degraded


def _show_found(message: ConversationEvent, query: str) -> TemplateData:
    page = reverse("web:chat_session", args=[message.session_id])
    return {
        "address": f"{page}?earlier_than={message.seq + LATER_SHOWN}#message-{message.pk}",
        "text": snippet(" ".join(message.text.split()), query, SNIPPET_CHARS),
        "title": message.session.title,
        "is_own": message.role == ConversationEvent.Role.USER,
        "said_at": message.occurred_at,
    }
