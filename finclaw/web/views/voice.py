"""Pages of "How I speak": the mode, the learned reply preferences, and the user's own instructions."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from finclaw.brain.persona import preview_persona
from finclaw.web.access import MemberView, htmx_of
from finclaw.web.forms.voice import MODE_NAMES, ChatModeForm, UsualModeForm, VoiceForm
from finclaw.web.starters import reader_language
from finclaw.web.types import TemplateData
from finclaw.web.voice import (
    describe_left_out_lines,
    describe_masks,
    show_documents,
    show_modes,
    show_preferences,
    show_preview,
)
from foundation.exceptions import FinClawError, ValidationFailed
from foundation.personal_data import ConsentScope
from memory.services.sessions import session_of
from personas.configuration import configured_persona
from personas.services.documents import documents_for, masked_kinds, write_user_document
from personas.services.mode_choice import choose_mode
from personas.services.preferences import dismiss_waiting, preferences_of, waiting_preferences
from personas.services.states import clear_mode, set_mode
from personas.services.write_back import confirm_preference
from personas.types import ModeInForce


class VoicePage(MemberView):
    """The page."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.page()

    def post(self, request: HttpRequest) -> HttpResponse:
        """Save the user's own instructions."""
        form = VoiceForm(request.POST)
        if not form.is_valid():
            return self.page(form, status=400)
        body = form.cleaned_data["body"]
        kept = write_user_document(self.permit, self.user, body)
        messages.success(request, _("Saved. I read it before my next answer."))
        for note in (*describe_masks(masked_kinds(self.user, body)), *describe_left_out_lines(kept.body)):
            messages.warning(request, note)
        return redirect("web:voice")

    def page(self, form: VoiceForm | None = None, *, status: int = 200, **shown: TemplateData) -> HttpResponse:
        """Everything ``web/voice.html`` shows."""
        documents = documents_for(self.permit, self.user)
        context = preview_persona(self.permit, self.user)
        preferences = (*waiting_preferences(self.permit), *preferences_of(self.permit))
        more: dict[str, Any] = {
            "modes": show_modes(),
            "usual": context.meta.mode,
            "can_choose": configured_persona().dynamic_modes,
            "can_keep_mode": configured_persona().write_back,
            "preferences": show_preferences(self.permit, preferences),
            "can_learn": self.permit.allows(ConsentScope.MEMORY_LEARNING),
            "can_keep": self.permit.allows(ConsentScope.SAVE_TO_PROFILE),
            "form": form or VoiceForm(initial={"body": documents.user.body}),
            "documents": show_documents(documents),
            "preview": show_preview(context, documents.user.body, is_draft=False),
        }
        return render(self.request, "web/voice.html", more | shown, status=status)


class UsualMode(MemberView):
    """The mode in which the user's chats begin."""

    def post(self, request: HttpRequest) -> HttpResponse:
        """Save it, as a preference the user stated."""
        form = UsualModeForm(request.POST)
        if not form.is_valid():
            raise ValidationFailed(_("There is no such way of speaking. Nothing was changed."))
        mode = form.cleaned_data["mode"]
        choose_mode(self.permit, mode, reader_language(self.permit))
        told = _("From now on I speak like this in every chat: %(name)s. You chose it here.")
        return self.redirect_saying(told % {"name": MODE_NAMES[mode]}, "web:voice")


class VoicePreview(VoicePage):
    """Shows the prompt that the typed instructions would give; nothing is saved."""

    http_method_names = ("post", "options")

    def post(self, request: HttpRequest) -> HttpResponse:
        """The preview alone where htmx asked, else the whole page with it."""
        self.permit.require(ConsentScope.SAVE_TO_PROFILE)
        form = VoiceForm(request.POST)
        shown = self._show_preview(form)
        if htmx_of(request):
            return render(request, "web/partials/voice_preview.html", {"preview": shown})
        return self.page(form, status=400 if "error" in shown else 200, preview=shown)

    def _show_preview(self, form: VoiceForm) -> TemplateData:
        try:
            if not form.is_valid():
                raise ValidationFailed(" ".join(map(str, form.errors["body"])))
            body = form.cleaned_data["body"]
            return show_preview(preview_persona(self.permit, self.user, body), body, is_draft=True)
        except FinClawError as error:
            return {"layers": [], "error": error.message, "is_draft": True}


class PreferenceConfirm(MemberView):
    """Confirms a learned preference."""

    def post(self, request: HttpRequest, preference_id: UUID) -> HttpResponse:
        """Put the preference in force."""
        confirm_preference(self.permit, preference_id)
        return self.redirect_saying(_("Good, I go by it from now on."), "web:voice")


class PreferenceDismiss(MemberView):
    """Dismisses a preference that waits; one in force is forgotten like any memory."""

    def post(self, request: HttpRequest, preference_id: UUID) -> HttpResponse:
        if not dismiss_waiting(self.permit, preference_id):
            return redirect("web:forget_memory", preference_id)
        return self.redirect_saying(_("Then I leave it out."), "web:voice")


class ChatMode(MemberView):
    """The mode in one chat."""

    def post(self, request: HttpRequest, session_id: UUID) -> HttpResponse:
        """Change it for a number of messages, or return to the usual one."""
        session = session_of(self.permit, session_id)
        if "usual" in request.POST:
            state = clear_mode(self.permit, session)
            told = _("I am back to my usual way: %(name)s. You asked for it.")
            return self.redirect_saying(
                told % {"name": MODE_NAMES[state.mode]}, "web:chat_session", session_id, level=messages.INFO
            )
        form = ChatModeForm(request.POST)
        if not form.is_valid():
            raise ValidationFailed(_("There is no such way of speaking. Nothing was changed."))
        state = set_mode(self.permit, session, form.cleaned_data["mode"], ttl_turns=form.cleaned_data["ttl_turns"])
        return self.redirect_saying(_mode_sentence(state), "web:chat_session", session_id, level=messages.INFO)


def _mode_sentence(state: ModeInForce) -> str:
    told = ngettext(
        "For your next message I speak in another way, “%(name)s”: you chose it.",
        "For your next %(count)d messages I speak in another way, “%(name)s”: you chose it.",
        state.ttl_turns,
    )
    return told % {"count": state.ttl_turns, "name": MODE_NAMES[state.mode]}
