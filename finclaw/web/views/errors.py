"""Error pages, which say what happened and what to do. API addresses answer in their own shape instead."""

from __future__ import annotations

import sys

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _

from finclaw.errors import current_json_error, json_error, speaks_json
from finclaw.statuses import STATUS_OF
from foundation.accounts.exceptions import PermissionDenied
from foundation.database.error_codes import is_database_down
from foundation.exceptions import FinClawError, NotFound
from foundation.telemetry.middleware import request_id


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form from another site, or one kept open across a sign-in."""
    return json_error(PermissionDenied(), request) if speaks_json(request) else error_page(request, 403)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """A malformed request: a broken host name, too many fields, a file."""
    if speaks_json(request):
        return json_error(exception, request)
    if isinstance(exception, FinClawError):
        return error_page(request, STATUS_OF[exception.code], exception.message, exception.code)
    return error_page(request, 400)


def payload_too_large(request: HttpRequest, exception: Exception) -> HttpResponse:
    """A request over the size limit."""
    if speaks_json(request):
        return json_error(exception, request)
    return error_page(
        request, 413, _("What you sent is larger than I take. Nothing of it was saved: send less at once.")
    )


def permission_denied(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Something the user may not do."""
    if speaks_json(request):
        return json_error(exception or PermissionDenied(), request)
    if request.path.startswith(reverse("admin:index")):
        return error_page(request, 403, _("Your role does not open this page. A superuser gives roles."))
    return error_page(request, 403)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Nothing here, or another user's: the two look alike."""
    return json_error(exception or NotFound(), request) if speaks_json(request) else error_page(request, 404)


def server_error(request: HttpRequest) -> HttpResponse:
    """An unhandled error, or an unreachable database."""
    if speaks_json(request):
        return current_json_error(request)
    error = sys.exception()
    return error_page(request, 503 if error and is_database_down(error) else 500)


def error_page(request: HttpRequest, status: int, reason: str = "", code: str = "") -> HttpResponse:
    """The page for ``status``, with ``reason`` as a plain sentence where there is one and the error's ``code``.

    Rendered without context processors: they read the session, and with it a database that may be down.
    """
    context = {"status": status, "reason": reason, "code": code, "request_id": request_id(request)}
    return HttpResponse(render_to_string("web/error.html", context), status=status)
