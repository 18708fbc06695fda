"""Pages of portraits: read, correct, and roll back to an earlier version."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from finclaw.web.access import MemberView
from finclaw.web.forms.portraits import PortraitForm, PortraitVersionForm
from finclaw.web.portraits import (
    portrait_title,
    show_card,
    show_left_behind,
    show_parts,
    show_versions,
    without_title,
)
from finclaw.web.views.memory_tabs import MemoryTab
from foundation.accounts.groups import group_of
from foundation.exceptions import NotFound
from foundation.personal_data import ConsentScope
from memory.exceptions import MemoryUnavailable
from memory.portraits.services import edit, portrait_of, portraits_of, revisions, rollback, search_portraits
from memory.portraits.types import EntityType, PortraitRevision, PortraitView


class PortraitsPage(MemoryTab):
    """The user's own portrait and those of their groups."""

    tab = "portraits"

    def get(self, request: HttpRequest) -> HttpResponse:
        """All of them, or those found."""
        portraits = [show_card(view, self.form.query) for view in self._views()]
        left_behind = [] if self.form.narrows else show_left_behind(self.permit)
        return self.render_list(portraits=portraits, left_behind=left_behind)

    def _views(self) -> list[PortraitView]:
        if self.embedded is None:
            return portraits_of(self.permit)
        try:
            found = search_portraits(self.permit, self.embedded, floored=True)
        except MemoryUnavailable as error:
            self.degraded = (*self.embedded.degraded, error.code)
            return []
        self.degraded = found.degraded
        return [hit.portrait for hit in found.hits]


class PortraitPageBase(MemberView):
    """A user or group whose portrait the reader may see, even if it is empty."""

    def portrait_name(self, entity_type: EntityType, entity_id: UUID) -> str:
        """The portrait's name. Raises ``NotFound`` for another's, and without consent to learning."""
        if not self.permit.allows(ConsentScope.MEMORY_LEARNING):
            raise NotFound()
        if entity_type == "group":
            return group_of(self.user, entity_id).name
        if (entity_type, entity_id) != ("user", self.user.pk):
            raise NotFound()
        return portrait_title(entity_type, "")

    def revision_of(self, entity_type: EntityType, entity_id: UUID) -> int:
        """The current version of the reader's own part, 0 without any."""
        view = portrait_of(self.permit, entity_type, entity_id)
        return view.own.revision if view and view.own else 0


class PortraitPage(PortraitPageBase):
    """One portrait."""

    def get(self, request: HttpRequest, entity_type: EntityType, entity_id: UUID) -> HttpResponse:
        """The portrait's text, where each line came from, and earlier versions."""
        return self._render_page(entity_type, entity_id, None)

    def post(self, request: HttpRequest, entity_type: EntityType, entity_id: UUID) -> HttpResponse:
        """Replace the text by the user's own."""
        self.portrait_name(entity_type, entity_id)
        form = PortraitForm(request.POST)
        if not form.is_valid():
            return self._render_page(entity_type, entity_id, form)
        before = self.revision_of(entity_type, entity_id)
        edit(self.permit, entity_type, entity_id, form.cleaned_data["body"])
        messages.success(request, _("Saved. From now on I go by your words."))
        return redirect_to_portrait(entity_type, entity_id, before)

    def _render_page(self, entity_type: EntityType, entity_id: UUID, form: PortraitForm | None) -> HttpResponse:
        name = self.portrait_name(entity_type, entity_id)
        view = portrait_of(self.permit, entity_type, entity_id)
        own = view.own.body if view and view.own else ""
        versions = show_versions(view, self._past_revisions(entity_type, entity_id))
        context: dict[str, Any] = {
            "name": name,
            "entity_type": entity_type,
            "entity_id": entity_id,
            "updated_at": view.updated_at if view else None,
            "parts": show_parts(self.permit, view) if view else [],
            "form": form or PortraitForm(initial={"body": without_title(own)}),
            "versions": versions,
            "undo": next(
                (version for version in versions if str(version["revision"]) == self.request.GET.get("undo")), None
            ),
            "own_id": view.own.id if view and view.own else None,
        }
        return render(self.request, "web/portrait.html", context, status=400 if form else 200)

    def _past_revisions(self, entity_type: EntityType, entity_id: UUID) -> list[PortraitRevision]:
        try:
            return revisions(self.permit, entity_type, entity_id)
        except NotFound:  # no portrait was ever written
            return []


class PortraitRollback(PortraitPageBase):
    """Restores an earlier version; the present one becomes an earlier version in turn."""

    def post(self, request: HttpRequest, entity_type: EntityType, entity_id: UUID) -> HttpResponse:
        """Roll back at once; it can be undone."""
        self.portrait_name(entity_type, entity_id)
        form = PortraitVersionForm(request.POST)
        if not form.is_valid():
            raise NotFound()
        before = self.revision_of(entity_type, entity_id)
        rollback(self.permit, entity_type, entity_id, form.cleaned_data["revision"])
        messages.success(request, _("Done. The earlier version stands again."))
        return redirect_to_portrait(entity_type, entity_id, before)


def redirect_to_portrait(entity_type: EntityType, entity_id: UUID, before: int) -> HttpResponse:
    """Redirect to the portrait's page, which offers to undo to the version ``before``; 0 where there was none."""
    return redirect(f"{reverse('web:portrait', args=[entity_type, entity_id])}?undo={before}")
