"""The base of views that speak OpenAI's protocol: the token is the person."""

from __future__ import annotations

from finclaw.api.authentication import TokenAuthentication
from finclaw.api.base import ApiView


class OpenAIView(ApiView):
    """For a person's token alone: a browser's session does not open it."""

    authentication_classes = (TokenAuthentication,)
    schema = None  # OpenAI describes its protocol, docs/openai.md what of it is spoken
