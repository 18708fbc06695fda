"""The base view of every page for signed-in users."""

from __future__ import annotations

from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views import View
from django_htmx.middleware import HtmxDetails

from consent.permit import Permit
from consent.services import permit_for
from foundation.accounts.models import User
from foundation.accounts.notices import has_acknowledged
from foundation.database.acting_user import acting_as


class MemberView(View):
    """Acts for the signed-in user, in their time zone.

    Pages must be rendered before the view returns: a template rendered later would read nothing.
    """

    needs_decision: ClassVar[bool] = True  # redirects users who never decided on consent
    needs_acknowledgement: ClassVar[bool] = True  # first shows the notice to users who saw only an older version
    permit: Permit

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        self.before_transaction()
        with acting_as(self.user.pk), timezone.override(ZoneInfo(self.user.time_zone)):
            self.permit = permit_for(self.user)
            if self.needs_decision and not self.permit.has_decided:
                return redirect("web:onboarding")
            if self._must_read_notice():
                return redirect_to_login(request.get_full_path(), reverse("web:notice"))
            return super().dispatch(request, *args, **kwargs)

    def _must_read_notice(self) -> bool:
        """Whether the notice must be shown first; not before a POST, nor before htmx's requests of an open page."""
        is_page = self.request.method == "GET" and not htmx_of(self.request)
        return is_page and self.needs_acknowledgement and self.permit.has_decided and not has_acknowledged(self.user)

    @property
    def user(self) -> User:
        """The signed-in user."""
        user = self.request.user
        assert isinstance(user, User)
        return user

    def redirect_saying(self, sentence: str, to: str, *args: object, level: int = messages.SUCCESS) -> HttpResponse:
        """Redirect to a page that says this sentence on top."""
        messages.add_message(self.request, level, sentence)
        return redirect(to, *args)

    def before_transaction(self) -> None:
        """Hook for slow work that reads none of the user's rows; in a non-atomic view it runs without a transaction."""


def htmx_of(request: HttpRequest) -> HtmxDetails:
    """The details of an htmx request; falsy where the browser asked for a whole page."""
    details: HtmxDetails = request.htmx  # type: ignore[attr-defined]  # set by django-htmx's middleware
    return details
