"""Pages that import chats from other assistants: upload a file, watch its progress, and undo it where it can be."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from consent.models import ProfileConsent
from consent.services import permit_for
from finclaw.brain.long_tasks.services import mark_seen, start_task
from finclaw.import_undo import undo_import
from finclaw.models import LongTaskKind
from finclaw.statuses import STATUS_OF
from finclaw.web.access import MemberView
from finclaw.web.types import TemplateData
from foundation.database.acting_user import acting_as
from foundation.exceptions import FinClawError, ValidationFailed
from foundation.personal_data import ConsentScope
from memory.importing.chats.exported_chats import ASSISTANTS, SOURCES
from memory.importing.chats.refusal_reasons import describe_refusal
from memory.importing.file_imports import import_of, imports_of
from memory.importing.reading_progress import (
    NOTHING_READ_YET,
    ReadingProgress,
    reading_progress_by_import,
    reading_progress_of,
)
from memory.models import ChatImport
from memory.models.imports import UNFINISHED

IMPORTS_SHOWN = 10
FIELD = "file"


@method_decorator(csrf_exempt, name="dispatch")  # checked below, after the upload handler is set
class ImportsPage(MemberView):
    """The upload form, and the imports so far."""

    refusal: FinClawError | None = None

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.user.is_authenticated:
            request.upload_handlers = [TemporaryFileUploadHandler(request)]
        answer: HttpResponseBase = csrf_protect(super().dispatch)(request, *args, **kwargs)
        return answer

    def before_transaction(self) -> None:
        """Store the file, which may take a while."""
        if self.request.method != "POST":
            return
        try:
            file = self.request.FILES.get(FIELD)
            if file is None or not file.size:
                raise ValidationFailed(_("Choose a file first."))
            program = self.request.POST.get("program", "")
            if program and program not in SOURCES:
                raise ValidationFailed(_("Choose a program of the list."))
            with acting_as(self.user.pk):
                permit = permit_for(self.user)
            wanted = {"file": file, "origin": "web", "program": program}
            start_task(permit, self.user, LongTaskKind.IMPORT, wanted)  # a large upload holds no transaction
        except FinClawError as error:
            self.refusal = error

    def get(self, request: HttpRequest) -> HttpResponse:
        """The page; htmx asks for it again while an import runs."""
        return self._render_page(200)

    def post(self, request: HttpRequest) -> HttpResponse:
        """Redirect to the list with the progress, or say why the file was refused."""
        if self.refusal is not None:
            return self._render_page(STATUS_OF.get(self.refusal.code, 400))
        return redirect("web:imports")

    def _render_page(self, status: int) -> HttpResponse:
        imports = list(imports_of(self.user.pk)[:IMPORTS_SHOWN])
        for chat_import in imports:
            if chat_import.is_unseen:
                mark_seen(self.permit, chat_import.pk)
        understood = reading_progress_by_import(self.user.pk, [chat_import.pk for chat_import in imports])
        shown = [_show_import(chat_import, understood.get(chat_import.pk, NOTHING_READ_YET)) for chat_import in imports]
        context = {
            "imports": shown,
            "is_running": any(row["is_running"] for row in shown),
            "can_learn": self.permit.allows(ConsentScope.MEMORY_LEARNING),
            "programs": SOURCES,
            "refusal": self.refusal.message if self.refusal else "",
        }
        return render(self.request, "web/imports.html", context, status=status)


class ImportUndo(MemberView):
    """Undoes one import."""

    def get(self, request: HttpRequest, import_id: object) -> HttpResponse:
        """Ask for confirmation."""
        wanted = import_of(self.user.pk, self._id)
        return render(request, "web/import_undo.html", {"import": _show_import(wanted, reading_progress_of(wanted))})

    def post(self, request: HttpRequest, import_id: object) -> HttpResponse:
        """Forget what it brought: invisible from now on, erased by the worker."""
        undo_import(self.user, self._id, source="web")
        return self.redirect_saying(_("Undone. Everything it brought is forgotten."), "web:imports")

    @property
    def _id(self) -> Any:
        return self.kwargs["import_id"]


def _show_import(chat_import: ChatImport, understood: ReadingProgress) -> TemplateData:
    is_running = chat_import.state in UNFINISHED
    is_undone = chat_import.state == ChatImport.State.UNDONE
    holds_chats_alone = chat_import.assistant in ASSISTANTS
    return {
        "import_id": chat_import.pk,
        "state": chat_import.state,
        "is_running": is_running,
        "is_learning": chat_import.state == ChatImport.State.DONE
        and understood.found_by_meaning < understood.found_by_words,
        "assistant": SOURCES.get(chat_import.assistant, ""),
        "holds_chats_alone": holds_chats_alone,
        "messages": chat_import.messages,
        "stored": chat_import.recorded + chat_import.known + chat_import.left_out,
        "conversations": chat_import.conversations,
        "read": chat_import.read,
        "recorded": chat_import.recorded,
        "known": chat_import.known,
        "left_out": chat_import.left_out,
        "found_by_words": understood.found_by_words,
        "found_by_meaning": understood.found_by_meaning,
        "reason": _reason_of(chat_import),
        "past_consents": [_show_consent(consent) for consent in chat_import.past_consents],
        "asked_at": chat_import.created_at,
        "can_undo": not is_undone and (understood.found_by_words or (not holds_chats_alone and chat_import.recorded)),
    }


def _show_consent(consent: Mapping[str, Any]) -> TemplateData:
    revoked = consent["revoked_at"]
    fields = {field.name: field for field in ProfileConsent._meta.get_fields()}
    return {
        "granted_at": datetime.fromisoformat(consent["granted_at"]),
        "revoked_at": datetime.fromisoformat(revoked) if revoked else None,
        "allowed": [str(getattr(fields[name], "verbose_name", name)) for name in consent["allowed"]],
    }


def _reason_of(chat_import: ChatImport) -> str:
    """Why an import ended, in the language of the page.

    The stored English sentence stands in for details that earlier releases did not store or this one does not know.
    """
    described = describe_refusal(chat_import.reason_details)
    return described or (_(chat_import.reason) if chat_import.reason else "")
