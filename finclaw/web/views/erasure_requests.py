"""The page that confirms an erasure: it says exactly what is erased, and has one button."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from consent.erasure.services import link_secret
from consent.models import ErasureScope
from finclaw import erasure
from finclaw.erasure_scopes import SCOPES
from finclaw.web.access import MemberView
from finclaw.web.erasure_confirmations import FORGET_PAGES
from finclaw.web.forms.erasures import ForgetForm, TypedForgetForm
from finclaw.web.views.events import require_readable_id
from memory.exceptions import KeptInThread


class ForgetView(MemberView):
    """Confirms one scope of erasure; scope and row are given by the URL."""

    needs_acknowledgement = False  # users have this right even without reading the notice

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            return super().dispatch(request, *args, **kwargs)
        except KeptInThread as error:
            return self.redirect_saying(
                _("This is part of a thread now. It goes with the thread, and not without it."),
                "web:forget_thread",
                error.details["thread_id"],
                level=messages.INFO,
            )

    def get(self, request: HttpRequest, scope: ErasureScope, target: object = "") -> HttpResponse:
        """Ask for confirmation."""
        return self._ask(scope, require_readable_id(str(target)), self._form(scope), status=200)

    def post(self, request: HttpRequest, scope: ErasureScope, target: object = "") -> HttpResponse:
        """Forget: invisible from now on, erased by the worker. Redirect to the receipt.

        A user who erased their account is signed out, and sees the receipt that needs no sign-in.
        """
        form, named = self._form(scope, request.POST), require_readable_id(str(target))
        if not form.is_valid():
            return self._ask(scope, named, form, status=400)
        tombstone = erasure.forget(self.user, scope, named, form.chosen_sources(), source="web")
        if scope != ErasureScope.ACCOUNT:
            return redirect("web:erasure", tombstone.pk)
        logout(request)
        address = reverse("web:certificate", args=[tombstone.pk])
        return redirect(f"{address}?secret={link_secret(tombstone.pk)}")

    def _form(self, scope: ErasureScope, data: QueryDict | None = None) -> ForgetForm:
        return TypedForgetForm(data, user=self.user) if SCOPES[scope].needs_user_name else ForgetForm(data)

    def _ask(self, scope: ErasureScope, target: str, form: ForgetForm, *, status: int) -> HttpResponse:
        question = FORGET_PAGES[scope].confirm(self.permit, target)
        context = {"question": question, "form": form, "chosen": form["sources"].value() or "redact"}
        return render(self.request, "web/forget.html", context, status=status)
