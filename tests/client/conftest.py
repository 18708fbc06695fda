from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from finclaw_client import FinClaw
from pytest_django.live_server_helper import LiveServer

from foundation.accounts.models import User
from foundation.accounts.services import issue_token
from tests.support.cast import allow


@pytest.fixture
def sign_in(live_server: LiveServer) -> Iterator[Callable[[str], FinClaw]]:
    """Makes a client of a token; the server waits until all are closed."""
    with ExitStack() as clients:
        yield lambda token: clients.enter_context(FinClaw(live_server.url, token))


@pytest.fixture
def as_alice(alice: User, sign_in: Callable[[str], FinClaw]) -> FinClaw:
    """A client of Alice's, under every consent."""
    allow(alice)
    return sign_in(issue_token(alice)[1])
