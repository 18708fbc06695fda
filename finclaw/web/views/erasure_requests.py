"""Asking to forget: a page that says exactly what goes, then one button (C-9)."""

from __future__ import annotations

from typing import ClassVar

from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from consent.erasure.services import link_secret
from consent.models import ErasureScope, Tombstone
from finclaw import erasure
from finclaw.web.access import MemberView
from finclaw.web.erasure_confirmations import (
    Question,
    about_account,
    about_event,
    about_everything_learned,
    about_memory,
    about_portrait,
    about_profile,
    about_session,
)
from finclaw.web.forms.erasures import ForgetForm, TypedForgetForm
from finclaw.web.research_erasure_confirmations import about_task, about_thread
from finclaw.web.views.events import readable
from memory.exceptions import KeptInThread
from memory.research.task_lifecycle import task_of
from memory.research.threads import thread_of
from memory.services.events import event_of
from memory.services.items import item_of
from memory.services.sessions import session_of


class Forget(MemberView):
    """One kind of forgetting. ``target`` is what ``finclaw.erasure.forget`` names the row by."""

    scope: ClassVar[ErasureScope]
    target = ""

    def question(self) -> Question:
        """What the page says. Raises ``NotFound`` for what is not the person's."""
        raise NotImplementedError

    def form(self, data: QueryDict | None = None) -> ForgetForm:
        """What must be filled in."""
        return ForgetForm(data)

    def forgotten(self, tombstone: Tombstone) -> HttpResponse:
        """On to the receipt."""
        return redirect("web:erasure", tombstone.pk)

    def get(self, request: HttpRequest, target: object = "") -> HttpResponse:
        """Ask."""
        self.target = readable(str(target))
        return self._ask(self.form(), status=200)

    def post(self, request: HttpRequest, target: object = "") -> HttpResponse:
        """Forget: invisible from now on, erased by the worker."""
        self.target = readable(str(target))
        form = self.form(request.POST)
        if not form.is_valid():
            return self._ask(form, status=400)
        chosen = form.chosen_sources()
        return self.forgotten(erasure.forget(self.user, self.scope, self.target, chosen, source="web"))

    def _ask(self, form: ForgetForm, *, status: int) -> HttpResponse:
        context = {"question": self.question(), "form": form, "chosen": form["sources"].value() or "redact"}
        return render(self.request, "web/forget.html", context, status=status)


class ForgetMemory(Forget):
    """One memory."""

    scope = ErasureScope.ITEM

    def question(self) -> Question:
        """With its words and the messages it came from."""
        return about_memory(self.permit, item_of(self.permit, self.kwargs["target"]))


class ForgetEvent(Forget):
    """One event."""

    scope = ErasureScope.EVENT

    def question(self) -> Question:
        """With its words and the messages it came from."""
        return about_event(self.permit, event_of(self.permit, self.target))


class ForgetPortrait(Forget):
    """One portrait; of a group's, the person's own part."""

    scope = ErasureScope.PORTRAIT

    def question(self) -> Question:
        """With its words and how many versions of them there are."""
        return about_portrait(self.permit, self.kwargs["target"])


class ForgetSession(Forget):
    """One conversation."""

    scope = ErasureScope.SESSION

    def question(self) -> Question:
        """With how much was said in it, and learned from it."""
        return about_session(self.permit, session_of(self.permit, self.kwargs["target"]))


class ForgetThread(Forget):
    """One thread of research."""

    scope = ErasureScope.THREAD

    def question(self) -> Question:
        """With everything that hangs on it."""
        return about_thread(self.permit, thread_of(self.permit, self.kwargs["target"]))


class ForgetTask(Forget):
    """One piece of research."""

    scope = ErasureScope.TASK

    def question(self) -> Question:
        """With everything it made."""
        return about_task(self.permit, task_of(self.permit, self.kwargs["target"]))

    def get(self, request: HttpRequest, target: object = "") -> HttpResponse:
        """Ask; of what a thread keeps, about that thread."""
        try:
            return super().get(request, target)
        except KeptInThread as error:
            return self._thread_instead(error)

    def post(self, request: HttpRequest, target: object = "") -> HttpResponse:
        """Forget, unless a thread keeps it."""
        try:
            return super().post(request, target)
        except KeptInThread as error:
            return self._thread_instead(error)

    def _thread_instead(self, error: KeptInThread) -> HttpResponse:
        messages.info(self.request, _("This is part of a thread now. It goes with the thread, and not without it."))
        return redirect("web:forget_thread", error.details["thread_id"])


class ForgetProfile(Forget):
    """What the person stated about themselves."""

    scope = ErasureScope.PROFILE

    def question(self) -> Question:
        """With how much that is."""
        return about_profile(self.permit)


class ForgetTyped(Forget):
    """What takes the person's own user name, typed."""

    def form(self, data: QueryDict | None = None) -> ForgetForm:
        """The form with that field."""
        return TypedForgetForm(data, user=self.user)


class ForgetLearned(ForgetTyped):
    """Everything learned."""

    scope = ErasureScope.MEMORIES

    def question(self) -> Question:
        """With how much that is."""
        return about_everything_learned(self.permit)


class ForgetAccount(ForgetTyped):
    """The account itself."""

    scope = ErasureScope.ACCOUNT

    def question(self) -> Question:
        """With everything in it."""
        return about_account(self.permit)

    def forgotten(self, tombstone: Tombstone) -> HttpResponse:
        """Signed out, on to the receipt that opens without signing in."""
        logout(self.request)
        address = reverse("web:certificate", args=[tombstone.pk])
        return redirect(f"{address}?secret={link_secret(tombstone.pk)}")
