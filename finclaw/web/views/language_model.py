"""The page on the connected language model, and how to connect one."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from finclaw.web.access import MemberView
from foundation.llm import is_model_configured, model_id_for


class LanguageModelPage(MemberView):
    """Shows the connected model, and how the operator connects another."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """The name of the large model alone: its address and key concern the operator only."""
        connected = is_model_configured()
        context = {"model_offline": not connected, "model_name": model_id_for("large") if connected else ""}
        return render(request, "web/model.html", context)
