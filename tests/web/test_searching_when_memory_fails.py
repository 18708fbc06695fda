"""A search that fails says so on its page, which stands all the same."""

from __future__ import annotations

import pytest
from django.urls import reverse

from finclaw.web import search
from foundation.accounts.models import User
from memory.exceptions import MemoryUnavailable
from memory.types import SearchResult
from tests.support.cast import allow
from tests.web.support import memory_of, signed_in

LISTS = pytest.mark.parametrize("name", ["memories", "over_time", "events"])
COULD_NOT, NOTHING = "I could not look just now", "Nothing found"


@LISTS
def test_without_memory_the_page_says_that_it_could_not_look(
    alice: User, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    def fails(*_: object) -> SearchResult:
        raise MemoryUnavailable

    allow(alice)
    memory_of(alice, "Alice follows BTC")
    monkeypatch.setattr(search, "search", fails)
    answer = signed_in(alice).get(reverse(f"web:{name}"), {"q": "BTC"})
    page = answer.content.decode()

    assert answer.status_code == 200
    assert COULD_NOT in page
    assert NOTHING not in page
    assert "Without memory, for now" in page


@LISTS
def test_without_vectors_the_page_says_that_it_went_by_words(
    alice: User, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    allow(alice)
    monkeypatch.setattr(search, "search", lambda *_: SearchResult((), "lexical", 0.0, ("vector_unavailable",)))
    page = signed_in(alice).get(reverse(f"web:{name}"), {"q": "BTC"}).content.decode()

    assert "Keyword search only, for now" in page
    assert NOTHING in page
    assert COULD_NOT not in page


@LISTS
def test_a_search_that_works_says_neither(alice: User, name: str) -> None:
    allow(alice)
    page = signed_in(alice).get(reverse(f"web:{name}"), {"q": "BTC"}).content.decode()

    assert COULD_NOT not in page
    assert "for now" not in page
