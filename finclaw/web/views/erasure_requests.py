"""Pages that confirm an erasure: exactly what goes, then one button."""

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
    ErasureConfirmation,
    confirm_account,
    confirm_event,
    confirm_everything_learned,
    confirm_memory,
    confirm_portrait,
    confirm_profile,
    confirm_session,
)
from finclaw.web.forms.erasures import ForgetForm, TypedForgetForm
from finclaw.web.research_erasure_confirmations import confirm_task, confirm_thread
from finclaw.web.views.events import require_readable_id
from memory.exceptions import KeptInThread
from memory.historian.events import event_of
from memory.research.task_lifecycle import task_of
from memory.research.threads import thread_of
from memory.services.item_queries import item_of
from memory.services.sessions import session_of


class ForgetPage(MemberView):
    """Confirms one kind of erasure; ``target`` identifies the row for ``finclaw.erasure.forget``."""

    scope: ClassVar[ErasureScope]
    target = ""

    def confirmation(self) -> ErasureConfirmation:
        """What the page says. Raises ``NotFound`` for a row that is not the user's."""
        raise NotImplementedError

    def form(self, data: QueryDict | None = None) -> ForgetForm:
        """The form to fill in."""
        return ForgetForm(data)

    def redirect_after(self, tombstone: Tombstone) -> HttpResponse:
        """Redirect to the receipt."""
        return redirect("web:erasure", tombstone.pk)

    def get(self, request: HttpRequest, target: object = "") -> HttpResponse:
        """Ask for confirmation."""
        self.target = require_readable_id(str(target))
        return self._ask(self.form(), status=200)

    def post(self, request: HttpRequest, target: object = "") -> HttpResponse:
        """Forget: invisible from now on, erased by the worker."""
        self.target = require_readable_id(str(target))
        form = self.form(request.POST)
        if not form.is_valid():
            return self._ask(form, status=400)
        chosen = form.chosen_sources()
        return self.redirect_after(erasure.forget(self.user, self.scope, self.target, chosen, source="web"))

    def _ask(self, form: ForgetForm, *, status: int) -> HttpResponse:
        context = {"question": self.confirmation(), "form": form, "chosen": form["sources"].value() or "redact"}
        return render(self.request, "web/forget.html", context, status=status)


class ForgetMemory(ForgetPage):
    """One memory."""

    scope = ErasureScope.ITEM

    def confirmation(self) -> ErasureConfirmation:
        """The memory's text and the messages it came from."""
        return confirm_memory(self.permit, item_of(self.permit, self.kwargs["target"]))


class ForgetEvent(ForgetPage):
    """One event."""

    scope = ErasureScope.EVENT

    def confirmation(self) -> ErasureConfirmation:
        """The event's text and the messages it came from."""
        return confirm_event(self.permit, event_of(self.permit, self.target))


class ForgetPortrait(ForgetPage):
    """One portrait; of a group's, the user's own part."""

    scope = ErasureScope.PORTRAIT

    def confirmation(self) -> ErasureConfirmation:
        """The portrait's text and how many versions there are."""
        return confirm_portrait(self.permit, self.kwargs["target"])


class ForgetSession(ForgetPage):
    """One conversation."""

    scope = ErasureScope.SESSION

    def confirmation(self) -> ErasureConfirmation:
        """How much was said in the conversation, and learned from it."""
        return confirm_session(self.permit, session_of(self.permit, self.kwargs["target"]))


class ForgetThread(ForgetPage):
    """One thread of research."""

    scope = ErasureScope.THREAD

    def confirmation(self) -> ErasureConfirmation:
        """Everything that belongs to the thread."""
        return confirm_thread(self.permit, thread_of(self.permit, self.kwargs["target"]))


class ForgetTask(ForgetPage):
    """One piece of research."""

    scope = ErasureScope.TASK

    def confirmation(self) -> ErasureConfirmation:
        """Everything that the task made."""
        return confirm_task(self.permit, task_of(self.permit, self.kwargs["target"]))

    def get(self, request: HttpRequest, target: object = "") -> HttpResponse:
        """Ask for confirmation; for a task that a thread keeps, about that thread."""
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


class ForgetProfile(ForgetPage):
    """What the user stated about themselves."""

    scope = ErasureScope.PROFILE

    def confirmation(self) -> ErasureConfirmation:
        """How much that is."""
        return confirm_profile(self.permit)


class TypedForgetPage(ForgetPage):
    """An erasure that needs the user's own user name typed."""

    def form(self, data: QueryDict | None = None) -> ForgetForm:
        """The form with that field."""
        return TypedForgetForm(data, user=self.user)


class ForgetLearned(TypedForgetPage):
    """Everything learned."""

    scope = ErasureScope.MEMORIES

    def confirmation(self) -> ErasureConfirmation:
        """How much that is."""
        return confirm_everything_learned(self.permit)


class ForgetAccount(TypedForgetPage):
    """The account itself."""

    scope = ErasureScope.ACCOUNT

    def confirmation(self) -> ErasureConfirmation:
        """Everything in the account."""
        return confirm_account(self.permit)

    def redirect_after(self, tombstone: Tombstone) -> HttpResponse:
        """Sign out and redirect to the receipt that opens without signing in."""
        logout(self.request)
        address = reverse("web:certificate", args=[tombstone.pk])
        return redirect(f"{address}?secret={link_secret(tombstone.pk)}")
