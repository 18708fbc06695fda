"""LangGraph's ``BaseStore``: FinClaw's answers as the one in memory does, but where its docstring says otherwise.

Left out, with the reason: ``ttl`` (the user's rules say how long memories are kept); values without a text, and two
keys with the same text (a memory is a statement, kept once); ``index`` and the order of a search by ``query`` (the
search is FinClaw's); times (they are of versions).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("langgraph.store.base", reason="LangGraph is not installed: make adapters")

from finclaw_client import ClientError, ConsentError, FinClaw
from finclaw_client.adapters.langgraph import FinClawStore
from langgraph.store.base import BaseStore, GetOp, InvalidNamespaceError, PutOp
from langgraph.store.memory import InMemoryStore

from tests.support.coroutines import run_coroutine

pytestmark = pytest.mark.django_db(transaction=True)
WINE, TEA, COIN = ({"text": text} for text in ("I own a vineyard.", "I drink green tea.", "I follow Bitcoin."))


@pytest.fixture(params=["theirs", "ours"])
def store(request: pytest.FixtureRequest) -> Iterator[BaseStore]:
    if request.param == "theirs":
        yield InMemoryStore()
    else:
        yield FinClawStore(request.getfixturevalue("as_alice"))


def _shown(items: Any) -> list[tuple[Any, ...]]:
    return sorted((item.namespace, item.key, sorted(item.value.items())) for item in items)


def test_what_is_put_is_got_and_nothing_else(store: BaseStore) -> None:
    store.put(("a", "b"), "wine", WINE | {"since": 2019, "tags": ["red", {"of": "Burgundy"}]})
    got = store.get(("a", "b"), "wine")
    assert got is not None
    assert (got.namespace, got.key) == (("a", "b"), "wine")
    assert got.value == WINE | {"since": 2019, "tags": ["red", {"of": "Burgundy"}]}
    assert got.created_at.tzinfo is not None
    for namespace, key in ((("a",), "wine"), (("b", "a"), "wine"), (("a", "b", "b"), "wine"), (("a", "b"), "tea")):
        assert store.get(namespace, key) is None


def test_another_value_takes_the_place_of_the_former(store: BaseStore) -> None:
    store.put(("a",), "drink", WINE | {"rank": 1})
    store.put(("a",), "drink", TEA | {"rank": 1})
    store.put(("a",), "drink", TEA | {"rank": 2})
    assert _shown(store.search(("a",))) == [(("a",), "drink", [("rank", 2), ("text", TEA["text"])])]


def test_what_takes_the_place_of_another_deletes_nothing_where_it_is_refused(as_alice: FinClaw) -> None:
    store = FinClawStore(as_alice)
    store.put(("a",), "drink", WINE | {"rank": 1})
    store.put(("a",), "leaf", TEA)
    too_long, known = (WINE | {"rank": "x" * 4_000}, {"text": "x" * 2_001}), (TEA | {"rank": 1}, TEA | {"rank": 2})
    for refused in (*too_long, *known):
        with pytest.raises(ClientError):
            store.put(("a",), "drink", refused)
    store.put(("a",), "drink", WINE | {"rank": 3})
    got = store.get(("a",), "drink")
    assert got is not None
    assert got.value == WINE | {"rank": 3}
    assert list(as_alice.erasures.list()) == []


def test_what_is_deleted_is_gone_also_a_second_time(store: BaseStore) -> None:
    store.put(("a",), "wine", WINE)
    store.delete(("a",), "wine")
    store.delete(("a",), "wine")
    assert store.get(("a",), "wine") is None
    assert store.search(()) == []


def test_a_search_without_a_query_goes_by_namespace_filter_and_place(store: BaseStore) -> None:
    for key, value in (("wine", WINE | {"n": 1}), ("tea", TEA | {"n": 2}), ("coin", COIN | {"n": 3, "in": {"x": "y"}})):
        store.put(("a", "coins" if key == "coin" else "drinks"), key, value)
    for prefix in ((), ("a",), ("a", "drinks"), ("drinks",), ("a", "drinks", "x")):
        expected = {(): 3, ("a",): 3, ("a", "drinks"): 2}.get(prefix, 0)
        assert len(store.search(prefix)) == expected
    for wanted, keys in (
        ({"n": 2}, {"tea"}), ({"n": {"$gte": 2}}, {"tea", "coin"}), ({"n": {"$gt": 1, "$lt": 3}}, {"tea"}),
        ({"n": {"$ne": 1}}, {"tea", "coin"}), ({"in": {"x": "y"}}, {"coin"}), ({"missing": 1}, set()),
    ):  # fmt: skip
        assert {item.key for item in store.search((), filter=wanted)} == keys
    pages = [store.search((), limit=2, offset=offset) for offset in (0, 2, 4)]
    assert [len(page) for page in pages] == [2, 1, 0]
    assert {item.key for page in pages for item in page} == {"wine", "tea", "coin"}
    with pytest.raises(ValueError, match="nsupported operator"):
        store.search((), filter={"n": {"$in": [1]}})


def test_namespaces_are_listed(store: BaseStore) -> None:
    for namespace, value in ((("a", "b", "c"), WINE), (("a", "b", "d"), TEA), (("x", "c"), COIN)):
        store.put(namespace, "k", value)
    assert store.list_namespaces() == [("a", "b", "c"), ("a", "b", "d"), ("x", "c")]
    assert store.list_namespaces(prefix=("a", "*")) == [("a", "b", "c"), ("a", "b", "d")]
    assert store.list_namespaces(suffix=("c",)) == [("a", "b", "c"), ("x", "c")]
    assert store.list_namespaces(max_depth=2) == [("a", "b"), ("x", "c")]
    assert store.list_namespaces(limit=1, offset=1) == [("a", "b", "d")]


def test_in_a_batch_what_is_asked_comes_before_the_last_change_of_each_key(store: BaseStore) -> None:
    ops = [PutOp(("a",), "k", WINE), GetOp(("a",), "k"), PutOp(("a",), "k", TEA)]
    assert store.batch(ops) == [None, None, None]
    [got] = run_coroutine(store.abatch, [GetOp(("a",), "k")])
    assert got is not None
    assert got.value == TEA


def test_a_namespace_that_cannot_be_is_refused(store: BaseStore) -> None:
    for namespace in ((), ("a.b",), ("",), ("langgraph",)):
        with pytest.raises(InvalidNamespaceError):
            store.put(namespace, "k", WINE)


def test_a_time_to_live_is_refused(store: BaseStore) -> None:
    with pytest.raises(NotImplementedError):
        store.put(("a",), "k", WINE, ttl=5)


def test_a_search_by_query_finds_what_answers_it_within_the_namespace(as_alice: FinClaw) -> None:
    store = FinClawStore(as_alice)
    for key, value in (("wine", WINE), ("coin", COIN)):
        store.put(("a", key), key, value)
    [found] = store.search(("a", "coin"), query="Which currency do I follow? Bitcoin?")
    assert (found.key, found.score is not None) == ("coin", True)
    assert store.search(("a", "wine"), query="Which currency do I follow? Bitcoin?") == []


def test_what_is_no_statement_or_is_remembered_already_is_refused_by_name(as_alice: FinClaw) -> None:
    store = FinClawStore(as_alice)
    for value in ({"theme": "dark"}, {"text": 3}, {"text": " "}):
        with pytest.raises(ValueError, match="'text'"):
            store.put(("a",), "k", value)
    store.put(("a",), "k", WINE)
    with pytest.raises(ClientError, match="remembered already"):
        store.put(("a",), "other", WINE)


def test_without_consent_nothing_is_kept_and_nothing_found(as_bob: FinClaw) -> None:
    store = FinClawStore(as_bob)
    with pytest.raises(ConsentError):
        store.put(("a",), "k", WINE)
    assert (store.get(("a",), "k"), store.search(()), store.list_namespaces()) == (None, [], [])
