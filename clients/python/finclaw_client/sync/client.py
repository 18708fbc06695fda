# Made of finclaw_client/aio by `make client`.
"""The client: the parts of the API over one connection."""

from __future__ import annotations

from types import TracebackType
from typing import Self, Unpack

import httpx2

from finclaw_client import models
from finclaw_client.requests import TIMEOUT_SECONDS, api_url, sign_in_headers
from finclaw_client.retries import Retries
from finclaw_client.sync.connection import Connection, Resource
from finclaw_client.sync.conversations import Sessions, Turns
from finclaw_client.sync.memories import Events, Jobs, Memories, Profiles
from finclaw_client.sync.rights import Consent, Erasures, Exports


class FinClaw(Resource):
    """FinClaw at one address, in the name of one user; every method raises ``ClientError``.

    ``url`` and ``token`` default to the environment's ``FINCLAW_URL`` and ``FINCLAW_TOKEN``. With the service token of
    an organisation ``user`` says for whom the requests are, by the organisation's id for that person. ``auth``
    replaces the one token by another way to authenticate each request.
    """

    def __init__(
        self, url: str | None = None, token: str | None = None, *, user: str | None = None,
        auth: httpx2.Auth | None = None, retries: Retries | None = None, timeout: float = TIMEOUT_SECONDS,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:  # fmt: skip
        headers = {} if auth else sign_in_headers(token, user)
        self._http = httpx2.Client(
            base_url=api_url(url), headers=headers, auth=auth, timeout=timeout, transport=transport
        )
        super().__init__(Connection(self._http, retries or Retries()))
        self.memories = Memories(self._connection)
        self.jobs = Jobs(self._connection)
        self.events = Events(self._connection)
        self.profiles = Profiles(self._connection)
        self.sessions = Sessions(self._connection)
        self.turns = Turns(self._connection)
        self.consent = Consent(self._connection)
        self.exports = Exports(self._connection)
        self.erasures = Erasures(self._connection)

    def context(self, **question: Unpack[models.ContextBlockInput]) -> models.ContextBlockOutput:
        """The memory that is relevant to a question, within a budget of tokens: a text for a prompt, and its parts with
        the reasons why they were chosen.

        Without consent it is empty, and ``withheld`` says why.
        """
        return self._send(models.ContextBlockOutput, "POST", "context", question)

    def user(self) -> models.UserOutput:
        """The user to whom the memory belongs."""
        return self._get(models.UserOutput, "users/me")

    def token(self) -> models.PresentedToken:
        """The token that the requests are signed with, and what it allows."""
        return self._get(models.PresentedToken, "auth/token")

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
