"""Alice, and a conversation from which something was learned before the race begins."""

from __future__ import annotations

import pytest

from foundation.accounts.models import User
from memory.models import Session
from tests.support.beside import NEEDLE
from tests.support.cast import allow, make_person
from tests.support.talk import open_session, say


@pytest.fixture
def alice() -> User:
    person = make_person("alice")
    allow(person)
    return person


@pytest.fixture
def session(alice: User) -> Session:
    """A conversation in which the needle was learned already."""
    session = open_session(alice)
    say(alice, session, f"I prefer answers about {NEEDLE}.", "The weather is fine.")
    return session
