"""Defines the base of views that speak OpenAI's protocol, in which the token alone says who the user is."""

from __future__ import annotations

from finclaw.api.authentication import TokenAuthentication
from finclaw.api.base import ApiView
from finclaw.openai_api.reference import OpenAIErrorBody


class OpenAIView(ApiView):
    """For a person's token alone: a browser's session does not open it."""

    authentication_classes = (TokenAuthentication,)
    error_body = OpenAIErrorBody
