from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module

import pytest
from finclaw_client import FinClaw

from foundation.accounts.models import User
from foundation.accounts.services import issue_token
from tests.support.cast import allow_all_but_learning

if os.environ.get("ADAPTERS_REQUIRED"):  # by ``make adapters``, where a skip would be a proof that was not given
    for framework in ("agents", "langchain_core", "langgraph.store.base", "llama_index.core"):
        import_module(framework)


@pytest.fixture
def as_bob(bob: User, sign_in: Callable[[str], FinClaw]) -> FinClaw:
    """A client of Bob's, who allows everything but learning."""
    allow_all_but_learning(bob)
    return sign_in(issue_token(bob)[1])
