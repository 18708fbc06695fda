from __future__ import annotations

from collections.abc import Callable

import pytest
from finclaw_client import FinClaw

from foundation.accounts.models import User
from foundation.accounts.services import issue_token
from tests.support.cast import allow_all_but_learning


@pytest.fixture
def as_bob(bob: User, sign_in: Callable[[str], FinClaw]) -> FinClaw:
    """A client of Bob's, who allows everything but learning."""
    allow_all_but_learning(bob)
    return sign_in(issue_token(bob)[1])
