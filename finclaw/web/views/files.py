"""What is done with a file where a chat shows it."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from finclaw.web.access import MemberView
from media.extraction.services import read_again
from memory.services.sessions import session_of


class FileReadAgain(MemberView):
    """Has a file read once more whose reading took too long."""

    http_method_names = ("post", "options")

    def post(self, request: HttpRequest, session_id: UUID, media_id: UUID) -> HttpResponse:
        """Queue the reading and return to the chat."""
        session = session_of(self.permit, session_id)
        read_again(self.permit, media_id)
        chat = reverse("web:chat_session", args=[session.pk]) + "#latest"
        return self.redirect_saying(_("I read the file once more. That may take some minutes."), chat)
