"""The page on the connected language model, and how to connect one."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from finclaw.web.access import MemberView
from foundation.llm import configured_model, model_id_for


class LanguageModelPage(MemberView):
    """Shows the connected model, and how the operator connects another."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """The name of the large model alone: its address and key concern the operator only."""
        offline = configured_model().is_offline
        context = {"model_offline": offline, "model_name": "" if offline else model_id_for("large")}
        return render(request, "web/model.html", context)
