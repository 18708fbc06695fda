"""Which language model answers, and how one is connected."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from finclaw.web.access import MemberView
from foundation.llm import configured_model, model_id_for


class LanguageModelPage(MemberView):
    """What is connected, and what whoever runs FinClaw does to connect another."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """The name of the large model alone: where it runs and by which key is the operators' affair."""
        offline = configured_model().is_offline
        context = {"model_offline": offline, "model_name": "" if offline else model_id_for("large")}
        return render(request, "web/model.html", context)
