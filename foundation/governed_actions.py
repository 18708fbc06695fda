"""Governed actions of the admin pages: an operator confirms what will happen, then it is done and logged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.models import CHANGE, LogEntry
from django.db.models import Model
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext

from foundation.admin import ModelAdmin
from foundation.exceptions import FinClawError


@dataclass(frozen=True)
class ConfirmationChoice:
    """One option of a governed action; ``effects`` say in sentences what choosing it would do."""

    value: str
    label: str
    effects: Sequence[str]


@dataclass(frozen=True)
class Confirmation:
    """The confirmation that an operator gives before a governed action.

    ``rows`` are the rows it is about, each with a note or "".

    ``stamp`` comes back with the answer, to tell whether what was read still holds. ``typed`` is what the operator
    must type to confirm. With a ``note_label`` they may write a note, which comes back as ``note``.
    """

    title: str
    sentences: Sequence[str]
    action: str
    button: str
    rows: Sequence[tuple[Model, str]]
    choices: Sequence[ConfirmationChoice] = ()
    stamp: str = ""
    typed: str = ""
    note_label: str = ""

    def problem_of(self, request: HttpRequest) -> str:
        """Why the answer confirms something else than this: it is stale, or not typed as asked; "" where it does."""
        if request.POST.get("stamp", "") != self.stamp:
            return gettext("What would happen has changed since. Look once more.")
        if request.POST.get("typed", "").strip() != self.typed:
            return gettext("Type %(words)s to confirm.") % {"words": self.typed}
        return ""


def is_confirmed(request: HttpRequest) -> bool:
    """Whether the question of a governed action was answered; a bare POST of the action changes nothing."""
    return request.POST.get("confirmed") == "yes"


def ask_first(page: ModelAdmin, request: HttpRequest, question: Confirmation) -> HttpResponseBase | None:
    """The page that asks for the confirmation, saying why where the answer confirms something else; None once it is
    confirmed.
    """
    if is_confirmed(request):
        problem = question.problem_of(request)
        if not problem:
            return None
        page.message_user(request, problem, messages.WARNING)
    return render_confirmation(page, request, question)


def render_confirmation(page: ModelAdmin, request: HttpRequest, question: Confirmation) -> HttpResponseBase:
    """Render the confirmation page, which posts the action again, confirmed."""
    context: dict[str, Any] = page.admin_site.each_context(request) | {
        "title": question.title,
        "opts": page.opts,
        "question": question,
        "action_checkbox_name": ACTION_CHECKBOX_NAME,
    }
    return TemplateResponse(request, "admin/confirmation.html", context)


def govern_rows(
    page: ModelAdmin,
    request: HttpRequest,
    question: Confirmation,
    act: Callable[[list[Any], UUID], Sequence[Model]],
    *,
    note: str,
    done: Promise,
    nothing: Any = "",
) -> HttpResponseBase | None:
    """Carry out a governed action: say ``nothing`` without rows, ask for confirmation, then ``act``.

    ``act`` takes the rows and the operator's id, and returns the rows for which it was done. ``note`` goes into the
    admin's log; ``done`` says for how many rows it was done, and a warning how many were passed over.
    """
    if not question.rows:
        page.message_user(request, nothing, messages.WARNING)
        return None
    asked = ask_first(page, request, question)
    if asked is not None:
        return asked
    actor = request.user.pk
    assert actor is not None  # the admin lets nobody anonymous in
    changed = act([row for row, _note in question.rows], actor)
    LogEntry.objects.log_actions(actor, changed, CHANGE, note)
    page.message_user(request, str(done % len(changed)), messages.SUCCESS if changed else messages.WARNING)
    if passed_over := len(question.rows) - len(changed):
        sentence = ngettext(
            "%d was passed over: it has changed meanwhile.",
            "%d were passed over: they have changed meanwhile.",
            passed_over,
        )
        page.message_user(request, sentence % passed_over, messages.WARNING)
    return None


def row_by_row(act: Callable[[Any, UUID], object]) -> Callable[[list[Any], UUID], Sequence[Model]]:
    """An action for ``govern_rows`` of one on a single row, which is passed over where ``act`` returns False or raises
    ``FinClawError``.
    """

    def act_on_each(rows: list[Any], operator: UUID) -> list[Model]:
        return [row for row in rows if _is_done(act, row, operator)]

    return act_on_each


def _is_done(act: Callable[[Any, UUID], object], row: Model, actor: UUID) -> bool:
    try:
        return act(row, actor) is not False
    except FinClawError:
        return False
