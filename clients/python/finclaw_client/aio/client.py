"""The client: the parts of the API over one connection."""

from __future__ import annotations

from types import TracebackType
from typing import Self, Unpack

import httpx2

from finclaw_client import models
from finclaw_client.aio.connection import AsyncConnection, AsyncResource
from finclaw_client.aio.conversations import AsyncSessions, AsyncTurns
from finclaw_client.aio.memories import AsyncEvents, AsyncJobs, AsyncMemories, AsyncProfiles
from finclaw_client.aio.rights import AsyncConsent, AsyncErasures, AsyncExports
from finclaw_client.requests import TIMEOUT_SECONDS, api_url, sign_in_headers
from finclaw_client.retries import Retries


class AsyncFinClaw(AsyncResource):
    """FinClaw at one address, in the name of one user; every method raises ``ClientError``.

    ``url`` and ``token`` default to the environment's ``FINCLAW_URL`` and ``FINCLAW_TOKEN``. With the service token of
    an organisation ``user`` says for whom the requests are, by the organisation's id for that person. ``auth``
    replaces the one token by another way to authenticate each request.
    """

    def __init__(
        self, url: str | None = None, token: str | None = None, *, user: str | None = None,
        auth: httpx2.Auth | None = None, retries: Retries | None = None, timeout: float = TIMEOUT_SECONDS,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:  # fmt: skip
        headers = {} if auth else sign_in_headers(token, user)
        self._http = httpx2.AsyncClient(
            base_url=api_url(url), headers=headers, auth=auth, timeout=timeout, transport=transport
        )
        super().__init__(AsyncConnection(self._http, retries or Retries()))
        self.memories = AsyncMemories(self._connection)
        self.jobs = AsyncJobs(self._connection)
        self.events = AsyncEvents(self._connection)
        self.profiles = AsyncProfiles(self._connection)
        self.sessions = AsyncSessions(self._connection)
        self.turns = AsyncTurns(self._connection)
        self.consent = AsyncConsent(self._connection)
        self.exports = AsyncExports(self._connection)
        self.erasures = AsyncErasures(self._connection)

    async def context(self, **question: Unpack[models.ContextBlockInput]) -> models.ContextBlockOutput:
        """The memory that is relevant to a question, within a budget of tokens: a text for a prompt, and its parts with
        the reasons why they were chosen.

        Without consent it is empty, and ``withheld`` says why.
        """
        return await self._send(models.ContextBlockOutput, "POST", "context", question)

    async def user(self) -> models.UserOutput:
        """The user to whom the memory belongs."""
        return await self._get(models.UserOutput, "users/me")

    async def token(self) -> models.PresentedToken:
        """The token that the requests are signed with, and what it allows."""
        return await self._get(models.PresentedToken, "auth/token")

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
