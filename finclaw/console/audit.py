"""Records what operators do and attempt in the audit log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from django.contrib.admin.views.main import IGNORED_PARAMS, PAGE_VAR, ChangeList
from django.db.models import Model
from django.http import HttpRequest
from django.template.response import SimpleTemplateResponse

from consent.declarations import declaration_of
from consent.models import AuditEvent
from foundation.accounts.models import User
from foundation.accounts.services import revoke_access
from foundation.admin import ModelAdmin
from foundation.database.acting_user import on_behalf_of

REFUSED_ACTION = "admin.refused"
OPENED_ACTION = "admin.opened"
LISTED_ACTION = "admin.listed"
ACCOUNT_ADDED = "account.added"
ACCOUNT_CHANGED = "account.changed"
PASSWORD_SET = "account.password_set"  # noqa: S105  names an event


def record_event(
    request: HttpRequest,
    action: str,
    *,
    about: UUID | None = None,
    subject: UUID | None = None,
    counts: Mapping[str, int] | None = None,
    details: Mapping[str, Any] | None = None,
) -> None:
    """Record an event of the requesting operator; without ``about`` or ``subject`` it is about themselves."""
    actor = request.user.pk
    assert actor is not None  # the admin is closed to anonymous users
    with on_behalf_of(about or actor):
        AuditEvent.objects.create(
            user_id=about or actor,
            actor_id=actor,
            action=action,
            subject_id=subject,
            counts=dict(counts or {}),
            details=dict(details or {}),
        )


def record_password(request: HttpRequest, user_id: str) -> None:
    """Record an operator's new password, and end their access except in the browser they used."""
    operator = User.objects.get(pk=user_id)
    keep = request.session.session_key if operator.pk == request.user.pk else None
    revoke_access(operator, keep_session=keep)
    record_event(request, PASSWORD_SET, about=operator.pk, subject=operator.pk)


def record_refusal(request: HttpRequest, page: object, object_id: str, what: Iterable[str] = ()) -> None:
    """Record a refused attempt: the page, the verb, our own names; never what was typed."""
    row = _uuid(object_id)
    is_person = isinstance(page, ModelAdmin) and issubclass(page.model, User)
    about = row if is_person and row and User.objects.filter(pk=row).exists() else None
    match = request.resolver_match
    details = {"page": (match.url_name if match else "") or "", "method": request.method, "what": list(what)}
    record_event(request, REFUSED_ACTION, about=about, subject=row, details=details)


def record_reading(request: HttpRequest, page: object, response: object) -> None:
    """Record the reading of people's words: one event for a row's page, or for a list with its filters."""
    if not (isinstance(page, ModelAdmin) and page.shows_personal_text and isinstance(response, SimpleTemplateResponse)):
        return
    shown = response.context_data or {}
    changes, row = shown.get("cl"), shown.get("original")
    if isinstance(changes, ChangeList):
        _record_list(request, page, changes)
        _record_rows(request, page, page.rows_opened_by(changes))
    elif isinstance(row, Model):
        _record_rows(request, page, [row])
    elif "question" in shown:  # the confirmation of a governed action, which shows people's words
        _record_rows(request, page, [asked for asked, _note in shown["question"].rows])


def _record_rows(request: HttpRequest, page: ModelAdmin, rows: Iterable[Model]) -> None:
    """Record each of the rows as opened, about its user."""
    details = {"page": page.opts.label_lower}
    for row in rows:
        record_event(request, OPENED_ACTION, about=_row_owner(row), subject=_uuid(row.pk), details=details)


def _record_list(request: HttpRequest, page: ModelAdmin, changes: ChangeList) -> None:
    """Record a list, about the one user whose rows it shows if it is one; the search words are not kept."""
    rows = list(changes.result_list)
    owners = {_row_owner(row) for row in rows}
    filters = {name: request.GET[name] for name in request.GET if name not in {*IGNORED_PARAMS, PAGE_VAR}}
    record_event(
        request,
        LISTED_ACTION,
        about=owners.pop() if len(owners) == 1 else None,
        counts={"rows": len(rows), "page": changes.page_num, "searched": int(bool(changes.query))},
        details={"page": page.opts.label_lower, "filters": filters},
    )


def _row_owner(row: Model) -> UUID | None:
    declaration = declaration_of(type(row))
    owner = getattr(row, declaration.owner, None) if declaration else None
    return owner if isinstance(owner, UUID) else None


def _uuid(value: object) -> UUID | None:
    try:
        return UUID(str(value))
    except ValueError:
        return None
