"""Defines what all views of OpenAI's protocol share, in which the token alone says who the user is."""

from __future__ import annotations

from finclaw.api.authentication import TokenAuthentication
from finclaw.api.base import ApiView
from finclaw.openai_api.reference import OpenAIErrorBody


class OpenAIView(ApiView):
    """For a token alone: a browser's session does not open the view. Errors have OpenAI's shape."""

    authentication_classes = (TokenAuthentication,)
    error_body = OpenAIErrorBody
