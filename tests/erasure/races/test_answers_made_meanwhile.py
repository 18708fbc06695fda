"""An answer that the model is making while what stands in its prompt is erased: it is not stored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from consent.exceptions import ErasureInProgress
from consent.models import ErasureScope
from finclaw.brain import turn
from finclaw.brain.types import TurnRequest
from foundation.accounts.models import User
from foundation.exceptions import NotFound
from foundation.llm import Prompt, Reply, configured_model
from foundation.outbox.tasks import drain
from memory.models import Session
from tests.support.beside import NEEDLE, SCOPES, Beside, forget_needle, require_gone
from tests.support.needles import dump
from tests.support.talk import open_session

pytestmark = pytest.mark.django_db(transaction=True)


class Quoting:
    """A model that thinks long and quotes what stands in its prompt."""

    def __init__(self, stop: Callable[[], None]) -> None:
        self._stop = stop
        self._model = configured_model(None)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def call(self, prompt: Prompt, *args: Any, **kwargs: Any) -> Reply:
        reply = self._model.call(prompt, *args, **kwargs)
        self._stop()
        shown = "\n".join(prompt.texts)
        return replace(reply, text=f"You spoke of {NEEDLE}.") if NEEDLE in shown else reply


def _asking(alice: User, session: Session, monkeypatch: pytest.MonkeyPatch, text: str) -> Beside:
    request = TurnRequest(session.pk, ({"type": "text", "text": text},))
    beside = Beside(lambda: turn.reply(alice, request))
    monkeypatch.setattr(turn, "configured_model", lambda *_: Quoting(beside.stop))
    beside.start()
    return beside


@pytest.mark.parametrize("completed", [False, True], ids=["while it is pending", "after it is complete"])
@pytest.mark.parametrize("elsewhere", [False, True], ids=["in the conversation", "in another"])
@pytest.mark.parametrize("scope", SCOPES)
def test_an_answer_made_of_what_was_erased_meanwhile_is_not_stored(
    alice: User,
    session: Session,
    monkeypatch: pytest.MonkeyPatch,
    scope: ErasureScope,
    elsewhere: bool,
    completed: bool,
) -> None:
    where = open_session(alice) if elsewhere else session
    beside = _asking(alice, where, monkeypatch, "What answers do I prefer?")
    tombstone = forget_needle(alice, scope, session)
    if completed:
        drain()
    beside.go_on()
    assert isinstance(beside.error, ErasureInProgress | NotFound)
    require_gone(tombstone)


def test_an_answer_stored_before_the_wish_is_among_what_it_erases(
    alice: User, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = _asking(alice, session, monkeypatch, "What answers do I prefer?")
    beside.go_on()
    assert beside.error is None
    assert dump().count(f"spoke of {NEEDLE}") == 1
    require_gone(forget_needle(alice, ErasureScope.ITEM, session))
