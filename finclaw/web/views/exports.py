"""Pages for a copy of one's data: request it, watch its progress, download it while its link lasts."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from consent.export.lifecycle import UNFINISHED
from consent.export.services import download_link, exports_of, was_erased
from consent.models import DataExport
from finclaw.brain.long_tasks.services import mark_seen, start_task
from finclaw.models import LongTaskKind
from finclaw.web.access import MemberView
from finclaw.web.types import TemplateData

EXPORTS_SHOWN = 10


class ExportsPage(MemberView):
    """The exports, and the button for another."""

    needs_acknowledgement = False  # users have this right even without reading the notice

    def get(self, request: HttpRequest) -> HttpResponse:
        """The page; htmx asks for it again while an export is being built."""
        found = list(exports_of(self.user)[:EXPORTS_SHOWN])
        for export in found:
            if export.is_unseen:
                mark_seen(self.permit, export.pk)
        context = {
            "exports": [_show_export(export) for export in found],
            "is_running": any(export.state in UNFINISHED for export in found),
        }
        return render(request, "web/exports.html", context)

    def post(self, request: HttpRequest) -> HttpResponse:
        """Queue an export; a repeated request returns the running one."""
        start_task(self.permit, self.user, LongTaskKind.EXPORT, {"source": "web"})
        return redirect("web:exports")


def _show_export(export: DataExport) -> TemplateData:
    """An export; ``state`` is expired as soon as its link has expired, even if the row has not been updated yet."""
    is_removed = was_erased(export)
    token = None if is_removed else download_link(export, timezone.now())
    is_over = export.state == DataExport.State.READY and token is None
    return {
        "export_id": export.pk,
        "is_running": export.state in UNFINISHED,
        "state": DataExport.State.EXPIRED.value if is_over else export.state,
        "is_removed": is_removed,
        "progress": export.progress,
        "size": export.size,
        "sha256": export.sha256,
        "asked_at": export.created_at,
        "expires_at": export.expires_at,
        "download_url": reverse("api:export_download", args=[token]) if token else "",
    }
