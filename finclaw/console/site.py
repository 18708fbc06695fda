"""The operators' admin site: reads as the role ``finclaw_operator``, renders inside the request's transaction."""

from __future__ import annotations

from collections.abc import Mapping
from functools import wraps
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.template.response import SimpleTemplateResponse, TemplateResponse
from django.urls import get_resolver, path, reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from finclaw.console import audit, second_factor
from finclaw.console.drift import drift_page
from finclaw.console.historian_figures import historian_page
from finclaw.console.menu import GROUPS, MenuEntry, MenuGroup
from finclaw.console.model_costs import model_costs_page
from finclaw.console.organisations import organisations_page
from finclaw.console.quality import quality_page
from finclaw.console.roles import role_descriptions
from finclaw.console.today import today
from foundation.database.acting_user import enter_role
from foundation.database.roles import OPERATOR_ROLE

Pages = Mapping[str, dict[str, Any]]


class OperatorSite(admin.AdminSite):
    """Row-level security lets operators read; what they may change is each model's governed actions."""

    site_title = _("FinClaw")
    site_header = _("FinClaw for operators")
    index_title = _("Today")

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """Wraps every admin page: second factor, operators' role, template rendered inside the transaction.

        Refusals and reads are recorded here for all pages.
        """
        page = getattr(view, "__self__", None)

        @wraps(view)
        def as_operator(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if view != self.logout and second_factor.is_second_factor_missing(request):
                return self._ask_for_second_factor(request, page, kwargs)
            enter_role(OPERATOR_ROLE)
            try:
                with transaction.atomic():
                    response: HttpResponseBase = view(request, *args, **kwargs)
                    if isinstance(response, SimpleTemplateResponse) and not response.is_rendered:
                        # Rendered later, its lazy querysets would run outside the transaction and read nothing.
                        response.render()
            except (PermissionDenied, SuspiciousOperation) as refusal:
                audit.record_refusal(request, page, _object_id(kwargs), getattr(refusal, "what", ()))
                return _refusal_response(request, refusal)
            audit.record_reading(request, page, response)
            return response

        return super().admin_view(as_operator, cacheable)

    def _ask_for_second_factor(self, request: HttpRequest, page: object, kwargs: Mapping[str, Any]) -> HttpResponseBase:
        """Redirect to the second factor; an action attempted without it is recorded as refused."""
        if request.method == "POST":
            audit.record_refusal(request, page, _object_id(kwargs), ["second_factor"])
        return second_factor.redirect_to_code_page(request)

    def get_urls(self) -> list[Any]:
        """Without Django's shortcut to a row's public page: rows have none, and it fails on ids that are no UUID."""
        before_second_factor = super().admin_view
        own = [
            path("second-factor/", before_second_factor(self.second_factor), name="second_factor"),
            path("second-factor/enrol/", before_second_factor(self.second_factor_enrol), name="second_factor_enrol"),
            path("second-factor/codes/", before_second_factor(self.second_factor_codes), name="second_factor_codes"),
            path("quality/", self.admin_view(self.quality), name="quality"),
            path("organisations/", self.admin_view(self.organisations), name="organisations"),
            path("historian/", self.admin_view(self.historian), name="historian"),
            path("model-costs/", self.admin_view(self.model_costs), name="model_costs"),
            path("drift-week/", self.admin_view(self.drift), name="drift"),
        ]
        return own + [address for address in super().get_urls() if getattr(address, "name", "") != "view_on_site"]

    @transaction.non_atomic_requests
    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Not atomic: a failed attempt counts, and locks nothing while a password is hashed."""
        return super().login(request, extra_context)

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """The Today page: what waits, what failed, recent figures; an operator without permission is told what to ask
        for.
        """
        shown = {"today": today()} if request.user.has_perm("finclaw.view_today") else {"roles": role_descriptions()}
        return super().index(request, {**(extra_context or {}), **shown})

    def quality(self, request: HttpRequest) -> TemplateResponse:
        """Memory quality: the seven indicators over the last days, and the verdict on the last release."""
        _require_permission(request, "finclaw.view_quality")
        page = quality_page(timezone.now(), request.GET.get("tenant", ""))
        context = self.each_context(request) | {"title": _("Memory quality"), "quality": page}
        return TemplateResponse(request, "admin/quality.html", context)

    def organisations(self, request: HttpRequest) -> TemplateResponse:
        """Memory quality and drift of each organisation that has enough people."""
        _require_permission(request, "finclaw.view_quality")
        page = organisations_page(timezone.now())
        context = self.each_context(request) | {"title": _("Figures by organisation"), "organisations": page}
        return TemplateResponse(request, "admin/organisations.html", context)

    def historian(self, request: HttpRequest) -> TemplateResponse:
        """The historian: what waits, what failed, how long it takes."""
        _require_permission(request, "finclaw.view_historian")
        page = historian_page(timezone.now())
        context = self.each_context(request) | {"title": _("The historian"), "historian": page}
        return TemplateResponse(request, "admin/historian.html", context)

    def model_costs(self, request: HttpRequest) -> TemplateResponse:
        """What language models are used for, how fast they are and what they cost, of everybody or one organisation."""
        _require_permission(request, "finclaw.view_model_costs")
        page = model_costs_page(timezone.now(), request.GET.get("tenant", ""))
        context = self.each_context(request) | {"title": _("Cost and speed of language models"), "costs": page}
        return TemplateResponse(request, "admin/model_costs.html", context)

    def drift(self, request: HttpRequest) -> TemplateResponse:
        """Drift in counts: the week by kind, the last weeks as a chart, and users who change their mind very often."""
        _require_permission(request, "finclaw.view_drift")
        context = self.each_context(request) | {"title": _("How minds changed"), "drift": drift_page(timezone.now())}
        return TemplateResponse(request, "admin/drift.html", context)

    def second_factor(self, request: HttpRequest) -> HttpResponseBase:
        """The page that asks for a code after sign-in."""
        return second_factor.verify(request, self._without_menu(request))

    def second_factor_enrol(self, request: HttpRequest) -> HttpResponseBase:
        """The page that sets up an authenticator app."""
        return second_factor.enrol_device(request, self._without_menu(request))

    def second_factor_codes(self, request: HttpRequest) -> HttpResponseBase:
        """The page that creates new backup codes."""
        return second_factor.renew_codes(request, self._without_menu(request))

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """An operator's own new password; ends their access everywhere else."""
        response: Any = super().password_change(request, extra_context)
        if request.method == "POST" and isinstance(response, HttpResponseRedirect):
            audit.record_password(request, str(request.user.pk))
        return response

    def _without_menu(self, request: HttpRequest) -> dict[str, Any]:
        return self.each_context(request) | {"is_nav_sidebar_enabled": False, "available_apps": []}

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """The menu by task; an app's own page still lists that app."""
        if app_label:
            return super().get_app_list(request, app_label)
        pages = {
            f"{label}.{model['object_name']}": model
            for label, app in self._build_app_dict(request).items()
            for model in app["models"]
        }
        groups = [self._group(group, pages) for group in GROUPS]
        return [group for group in groups if group["models"]]

    def _group(self, group: MenuGroup, pages: Pages) -> dict[str, Any]:
        return {
            "name": group.name,
            "app_label": group.label,
            "app_url": f"{reverse('admin:index', current_app=self.name)}#{group.label}",
            "has_module_perms": True,
            "models": [_menu_entry(entry, pages[entry.model]) for entry in group.entries if entry.model in pages],
        }


def _menu_entry(entry: MenuEntry, page: dict[str, Any]) -> dict[str, Any]:
    shown = page | {"name": entry.name or page["name"]}
    if entry.query and page["admin_url"]:
        shown |= {"admin_url": page["admin_url"] + entry.query, "add_url": None, "view_only": True}
    return shown


def _require_permission(request: HttpRequest, permission: str) -> None:
    if not request.user.has_perm(permission):
        raise PermissionDenied


def _object_id(kwargs: Mapping[str, Any]) -> str:
    return str(kwargs.get("object_id") or kwargs.get("id") or "")


def _refusal_response(request: HttpRequest, refusal: PermissionDenied | SuspiciousOperation) -> HttpResponseBase:
    """The error page, rendered here: an exception that leaves the view would roll back the record of the refusal."""
    status = 403 if isinstance(refusal, PermissionDenied) else 400
    handler: Any = get_resolver().resolve_error_handler(status)
    response: HttpResponseBase = handler(request, exception=refusal)
    return response
