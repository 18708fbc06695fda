"""The protocol between the product and a small model, on every labelled message of the public development set.

The model is scripted from the labels: this shows that what a model says rightly is carried out, and says nothing of how
well any model reads.
"""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings

from bench.data import VARIABLE
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.models import OutboxMessage
from memory.learning.model_amendment import AMEND_TOPIC
from memory.models import MemoryItem
from memory.services import item_queries
from tests.support.cast import allow
from tests.support.model_changes import answer_of, change_of
from tests.support.model_server import Exchange, ModelServer, Says
from tests.support.talk import open_session, permit_of, say

FILE = "memory_dev.jsonl"
_EARLIER_MEMORY = re.compile(r'<memory id="(\d+)" since="[^"]*">(.*?)</memory>')
_LONGEST_QUOTE = 400


@dataclass
class _LabelledModel:
    """Answers what a message's labels say: ``message`` is the one that is said now, ``former`` those it changes."""

    message: dict[str, Any]
    former: dict[str, Any] | None
    op: str

    def perform(self, exchange: Exchange) -> None:
        shown = str(exchange.request.body["messages"][-1]["content"])
        entries = [self._entry(label, self._target(shown)) for label in self.message["learn"]]
        Says((answer_of(*entries),)).perform(exchange)

    def _entry(self, label: dict[str, str], target: int | None) -> dict[str, Any]:
        said = self.message["text"][:_LONGEST_QUOTE].strip()
        action = "add" if target is None else "retract" if self.op == "retract" else "change"
        return change_of(
            action=action, related_existing_memory_id=target, quote=said, content=_content(label, said),
            slot=label["statement"][:60], value=_content(label, said)[:200], provenance="observation",
        )  # fmt: skip

    def _target(self, shown: str) -> int | None:
        """The number of the memory that holds what the message changes."""
        if self.former is None:
            return None
        patterns = [label["match"] for label in self.former["learn"]]
        fit = [int(number) for number, text in _EARLIER_MEMORY.findall(shown) if _fits(html.unescape(text), patterns)]
        return fit[0] if fit else None


def _content(label: dict[str, str], said: str) -> str:
    return label["statement"] if _fits(label["statement"], [label["match"]]) else said


def _fits(text: str, patterns: list[str]) -> bool:
    return any(re.search(pattern, text, re.IGNORECASE) for pattern in patterns)


def _rows() -> list[Any]:
    folder = os.environ.get(VARIABLE, "")
    if not folder:
        return [pytest.param(None, marks=pytest.mark.skip(f"{VARIABLE} names no folder with the public data sets"))]
    lines = (Path(folder) / FILE).read_text(encoding="utf-8").splitlines()
    return [pytest.param(json.loads(line), id=json.loads(line)["id"]) for line in lines]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with (
        ModelServer() as server,
        override_settings(OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY="k", MODEL_LARGE="large",
                          MODEL_SMALL="small", MODEL_MAX_RETRIES=0),
    ):  # fmt: skip
        yield server


@pytest.mark.parametrize("row", _rows())
def test_what_the_model_rightly_says_is_carried_out(alice: User, server: ModelServer, row: dict[str, Any]) -> None:
    allow(alice)
    messages = row.get("messages", [row])
    session = open_session(alice)
    former: dict[str, Any] | None = None
    for message in messages:
        before = _open_items(alice)
        server.default = _LabelledModel(message, former, row.get("op", ""))
        say(alice, session, message["text"])
        result = _result(alice)
        assert "degraded" not in result
        if not message["learn"]:
            assert result["results"] == []
        for label in message["learn"]:
            kept = [item.content for item in _open_items(alice)]
            assert _fits("\n".join(kept), [label["match"]]), (label, kept, result)
        if former is not None:
            assert _is_settled(alice, before), (before, result)
        former = message


def _is_settled(user: User, before: list[MemoryItem]) -> bool:
    """Whether something was put away, or waits for its person beside what it would put away."""
    now = _open_items(user)
    still = {item.pk for item in now}
    waits = any(item.state == MemoryItem.State.QUARANTINED for item in now)
    return waits or any(item.pk not in still for item in before)


def _open_items(user: User) -> list[MemoryItem]:
    with acting_as(user.pk):
        return list(item_queries.items_of(permit_of(user)).filter(superseded_at=None))


def _result(user: User) -> dict[str, Any]:
    with acting_as(user.pk):
        job = OutboxMessage.objects.filter(topic=AMEND_TOPIC).latest("created_at")
    assert job.state == OutboxMessage.State.DONE
    return dict(job.result or {})
