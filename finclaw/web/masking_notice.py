"""Tells users what was masked in their words before anything was stored."""

from __future__ import annotations

from collections.abc import Mapping

from django.contrib import messages
from django.http import HttpRequest

from consent.sensitive.services import screen_text
from finclaw.web.voice import describe_masks
from foundation.accounts.models import User


def add_masking_notice(request: HttpRequest, user: User, prompt: str, stated: Mapping[str, str]) -> None:
    """Say on the next page what kinds of sensitive input were masked in an accepted request."""
    asked = screen_text("prompt", prompt, [user.name]).masked
    kinds = dict.fromkeys((*asked, *(kind for name, text in stated.items() for kind in screen_text(name, text).masked)))
    for line in describe_masks(list(kinds)):
        messages.info(request, line)
