"""Implements LangGraph's store over the user's memories: ``pip install 'finclaw-client[langgraph]'``."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Final, cast

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    validate_op_namespace,
)

from finclaw_client.errors import ClientError
from finclaw_client.sync.client import FinClaw

METADATA: Final = "langgraph"
PAGE_SIZE: Final = 200
MOST_FOUND: Final = 100
"""How many of the best memories a search looks through."""
LONGEST_WORDS_SOUGHT: Final = 200
"""How many characters the memory list accepts as its filter ``q`` for text that memories contain."""
Namespace = tuple[str, ...]


class FinClawStore(BaseStore):
    """Stores each item as one memory of the user, word for word.

    The field ``text_field`` of a value becomes the memory: a statement about the user of at most 2,000 characters. A
    value without it is refused (``ValueError``), since memory holds sentences, not any JSON. The other fields are its
    metadata, with namespace and key, in at most 4,000 characters. All namespaces belong to the user of the token.

    - Without the consent to learning ``put`` raises ``ConsentError``, and nothing is found.
    - A statement is remembered once: the same one under a second key is refused (``ClientError``).
    - Another value under a key is a correction: the former one stays in the memory's history, and in force where the
      new one is refused. ``delete`` is an erasure, certified and for good.
    - A search by ``query`` is FinClaw's own, over the text alone and whatever ``index`` says: it finds nothing where
      nothing is relevant, and looks for namespace and ``filter`` among the best 100.
    - FinClaw masks or refuses what must not be stored, and its upkeep joins memories that say the same: what is read
      may differ from what was put. ``created_at`` is that of the present version.
    - There is no ``ttl``: the user's own rules say how long memories are kept.
    """

    supports_ttl = False

    def __init__(self, client: FinClaw, *, text_field: str = "text") -> None:
        self._client, self._text_field = client, text_field

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run all reads first, then the writes; of several writes to one key only the last is made."""
        results, puts = list[Result](), dict[tuple[Namespace, str], PutOp]()
        for op in ops:
            validate_op_namespace(op)
            if isinstance(op, PutOp):
                puts[op.namespace, op.key] = op
                results.append(None)
            else:
                results.append(self._answer(op))
        for op in puts.values():
            self._put(op)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same, in a thread of its own."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _answer(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            row = self._row(op.namespace, op.key)
            return Item(**self._fields(row)) if row else None
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        raise ValueError(f"Unknown operation: {type(op).__name__}")

    def _put(self, op: PutOp) -> None:
        before = self._row(op.namespace, op.key)
        if op.value is None:
            if before:
                self._client.memories.delete(before["memory_id"])
            return
        text, others = self._split(op.value)
        entry = {"namespace": list(op.namespace), "key": op.key, "value": others}
        if before is None:
            [added] = self._client.memories.add_verbatim(text, metadata={METADATA: entry})["results"]
            if added["status"] != "accepted":
                raise _remembered_already(added["memory_id"])
        elif (before["memory"], _metadata(before)) != (text, entry):
            self._correct(before, text, entry)

    def _correct(self, before: Mapping[str, Any], text: str, entry: Mapping[str, Any]) -> None:
        """Correct the memory of a key in one request, which changes nothing where it is refused."""
        for row in self._client.memories.list(q=text[:LONGEST_WORDS_SOUGHT], page_size=PAGE_SIZE):
            if row["memory_id"] != before["memory_id"] and row["memory"].casefold() == text.casefold():
                raise _remembered_already(row["memory_id"])
        metadata = before["attributes"]["metadata"] | {METADATA: entry}
        self._client.memories.update(before["memory_id"], content=text, metadata=metadata)

    def _split(self, value: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Split a value into the statement that becomes the memory, and the other fields."""
        text = value.get(self._text_field)
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"A memory is a statement in words; give it as {self._text_field!r} of the value.")
        return text.strip(), {name: field for name, field in value.items() if name != self._text_field}

    def _rows(self, held: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """The memories of this store whose metadata contain ``held``, the latest first."""
        rows = self._client.memories.list(metadata=json.dumps({METADATA: held}), page_size=PAGE_SIZE)
        return (cast(Mapping[str, Any], row) for row in rows)

    def _row(self, namespace: Namespace, key: str) -> Mapping[str, Any] | None:
        held = {"namespace": list(namespace), "key": key}
        return next((row for row in self._rows(held) if _namespace(row) == namespace), None)

    def _fields(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of LangGraph's ``Item``, from its memory."""
        return {
            "namespace": _namespace(row),
            "key": _metadata(row)["key"],
            "value": {self._text_field: row["memory"], **_metadata(row)["value"]},
            "created_at": datetime.fromisoformat(row["created_at"]),
            "updated_at": datetime.fromisoformat(row["updated_at"]),
        }

    def _search(self, op: SearchOp) -> list[SearchItem]:
        if op.query:
            found = self._client.memories.search(query=op.query, top_k=MOST_FOUND)["results"]
            rows = [cast(Mapping[str, Any], row) for row in found if METADATA in row["attributes"].get("metadata", {})]
        else:
            rows = list(self._rows({}))[::-1]
        items = [
            SearchItem(**self._fields(row), score=row.get("score"))
            for row in rows
            if _namespace(row)[: len(op.namespace_prefix)] == op.namespace_prefix
        ]
        meeting = [item for item in items if meets(item.value, op.filter or {})]
        return meeting[op.offset : op.offset + op.limit]

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        conditions = op.match_conditions or ()
        every = {_namespace(row) for row in self._rows({})}
        matching = {namespace for namespace in every if all(_matches(condition, namespace) for condition in conditions)}
        return sorted({namespace[: op.max_depth] for namespace in matching})[op.offset : op.offset + op.limit]


def _remembered_already(memory_id: str) -> ClientError:
    return ClientError(f"This is remembered already, as {memory_id}, and FinClaw keeps a statement once.")


def _metadata(row: Mapping[str, Any]) -> dict[str, Any]:
    return dict(row["attributes"]["metadata"][METADATA])


def _namespace(row: Mapping[str, Any]) -> Namespace:
    return tuple(_metadata(row)["namespace"])


def _matches(condition: MatchCondition, namespace: Namespace) -> bool:
    """Whether a namespace begins, or ends, as the condition says; ``*`` stands for any label."""
    wanted = condition.path
    if len(namespace) < len(wanted):
        return False
    labels = namespace[: len(wanted)] if condition.match_type == "prefix" else namespace[len(namespace) - len(wanted) :]
    return all(sign in ("*", label) for sign, label in zip(wanted, labels, strict=True))


_OPERATORS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "$eq": lambda value, other: value == other,
    "$ne": lambda value, other: value != other,
    "$gt": lambda value, other: float(value) > float(other),
    "$gte": lambda value, other: float(value) >= float(other),
    "$lt": lambda value, other: float(value) < float(other),
    "$lte": lambda value, other: float(value) <= float(other),
}


def meets(value: Any, condition: Any) -> bool:
    """Whether a value meets a LangGraph filter: equality, one of its operators, or either on an object's fields."""
    if not isinstance(condition, dict):
        return bool(value == condition)
    if unknown := {name for name in condition if name.startswith("$")} - _OPERATORS.keys():
        raise ValueError(f"Unsupported operator: {', '.join(sorted(unknown))}")
    if condition.keys() & _OPERATORS.keys():
        return all(_OPERATORS[name](value, other) for name, other in condition.items())
    return isinstance(value, dict) and all(meets(value.get(name), other) for name, other in condition.items())
