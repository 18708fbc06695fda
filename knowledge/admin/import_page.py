"""The operators' page that imports knowledge: text is pasted, looked at line by line, then written as a whole."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from foundation.accounts.models import Tenant, User
from foundation.admin import ModelAdmin
from foundation.exceptions import FinClawError, ValidationFailed
from knowledge.importing.files import read_entries
from knowledge.importing.services import MOST_BY_REQUEST, import_entries, yield_to_other_requests
from knowledge.importing.types import ImportReport, LineOutcome

_FORMATS: Final = (("csv", "CSV"), ("jsonl", gettext_lazy("JSON lines")), ("markdown", "Markdown"))


class KnowledgeImportForm(forms.Form):
    tenant = forms.ModelChoiceField(Tenant.objects.all(), label=gettext_lazy("Organisation"))
    file_format = forms.ChoiceField(choices=_FORMATS, label=gettext_lazy("Format"))
    text = forms.CharField(
        strip=False,
        label=gettext_lazy("Entries"),
        widget=forms.Textarea({"rows": 16, "cols": 100, "spellcheck": "false"}),
    )


def show_import_page(page: ModelAdmin, request: HttpRequest) -> HttpResponseBase:
    """The form, with what would become of each entry; once it is confirmed, the list of entries."""
    form = KnowledgeImportForm(request.POST or None)
    report = None
    if form.is_valid():
        report = _import(request, form, dry_run="write" not in request.POST)
    if report is not None and report.is_written:
        counts = ", ".join(f"{report.count(outcome)} {outcome.label}" for outcome in LineOutcome)
        messages.success(request, _("Imported: %(counts)s.") % {"counts": counts})
        return redirect(f"admin:{page.opts.app_label}_{page.opts.model_name}_changelist")
    context: dict[str, Any] = page.admin_site.each_context(request) | {
        "title": _("Import knowledge"),
        "opts": page.opts,
        "form": form,
        "report": report,
        "is_clean": report is not None and not report.count(LineOutcome.REFUSED),
    }
    return TemplateResponse(request, "admin/knowledge_import.html", context)


def _import(request: HttpRequest, form: KnowledgeImportForm, *, dry_run: bool) -> ImportReport | None:
    """The report; None where the text is no file of entries, which the form then says."""
    given = form.cleaned_data
    assert isinstance(request.user, User)
    try:
        found = read_entries(given["text"].encode(), given["file_format"], most=MOST_BY_REQUEST)
        return import_entries(given["tenant"], request.user, found, dry_run=dry_run, progress=yield_to_other_requests)
    except ValidationFailed as refusal:
        form.add_error("text", " ".join(refusal.details.get("file", [refusal.message])))
    except FinClawError as refusal:
        form.add_error("text", refusal.message)
    return None
