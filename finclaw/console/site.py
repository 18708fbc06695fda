"""The operators' admin site: reads as ``finclaw_operator``, renders inside the request's transaction."""

from __future__ import annotations

from collections.abc import Mapping
from functools import wraps
from typing import Any

from django.contrib import admin
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.response import SimpleTemplateResponse, TemplateResponse
from django.urls import path, reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from finclaw.console.drift import drift_page
from finclaw.console.groups import GROUPS, Entry, Group
from finclaw.console.historian import historian_page
from finclaw.console.quality import quality_page
from finclaw.console.today import today
from foundation.database.acting import enter_role
from foundation.database.roles import OPERATOR_ROLE

Pages = Mapping[str, dict[str, Any]]


class OperatorSite(admin.AdminSite):
    """Row-level security lets operators read; what they may change is each model's governed actions."""

    site_title = _("FinClaw")
    site_header = _("FinClaw for operators")
    index_title = _("Today")

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """Every page of the admin runs as the operators' role, its template included."""

        @wraps(view)
        def as_operator(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if self.has_permission(request):
                enter_role(OPERATOR_ROLE)
            response: HttpResponseBase = view(request, *args, **kwargs)
            if isinstance(response, SimpleTemplateResponse) and not response.is_rendered:
                # Rendered later, its lazy querysets would run outside the transaction and read nothing.
                response.render()
            return response

        return super().admin_view(as_operator, cacheable)

    def get_urls(self) -> list[Any]:
        """Without Django's way to a row's own page: none has one, and the way stumbles over ids that are no UUID."""
        own = [
            path("quality/", self.admin_view(self.quality), name="quality"),
            path("historian/", self.admin_view(self.historian), name="historian"),
            path("drift-week/", self.admin_view(self.drift), name="drift"),
        ]
        return own + [address for address in super().get_urls() if getattr(address, "name", "") != "view_on_site"]

    @transaction.non_atomic_requests
    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Not atomic: a failed attempt counts, and locks nothing while a password is hashed."""
        return super().login(request, extra_context)

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """Today: what waits, what failed, and how it went lately."""
        return super().index(request, {**(extra_context or {}), "today": today()})

    def quality(self, request: HttpRequest) -> TemplateResponse:
        """Memory quality: the seven indicators over the last days, and how the last release was judged."""
        page = quality_page(timezone.now(), request.GET.get("tenant", ""))
        context = self.each_context(request) | {"title": _("Memory quality"), "quality": page}
        return TemplateResponse(request, "admin/quality.html", context)

    def historian(self, request: HttpRequest) -> TemplateResponse:
        """The historian: what waits, what failed, how long it takes."""
        page = historian_page(timezone.now())
        context = self.each_context(request) | {"title": _("The historian"), "historian": page}
        return TemplateResponse(request, "admin/historian.html", context)

    def drift(self, request: HttpRequest) -> TemplateResponse:
        """How minds changed: the week by kind, the last weeks drawn, who changes theirs very often, as counts."""
        context = self.each_context(request) | {"title": _("How minds changed"), "drift": drift_page(timezone.now())}
        return TemplateResponse(request, "admin/drift.html", context)

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """The menu by task; one app's own page still lists that app."""
        if app_label:
            return super().get_app_list(request, app_label)
        pages = {
            f"{label}.{model['object_name']}": model
            for label, app in self._build_app_dict(request).items()
            for model in app["models"]
        }
        groups = [self._group(group, pages) for group in GROUPS]
        return [group for group in groups if group["models"]]

    def _group(self, group: Group, pages: Pages) -> dict[str, Any]:
        return {
            "name": group.name,
            "app_label": group.label,
            "app_url": f"{reverse('admin:index', current_app=self.name)}#{group.label}",
            "has_module_perms": True,
            "models": [_entry(entry, pages[entry.model]) for entry in group.entries if entry.model in pages],
        }


def _entry(entry: Entry, page: dict[str, Any]) -> dict[str, Any]:
    shown = page | {"name": entry.name or page["name"]}
    if entry.query and page["admin_url"]:
        shown |= {"admin_url": page["admin_url"] + entry.query, "add_url": None, "view_only": True}
    return shown
