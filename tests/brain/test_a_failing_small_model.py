"""A turn that is routed to the small model is answered by the large one where the small one fails."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from django.conf import settings as current
from django.test import override_settings

from finclaw.brain import turn
from finclaw.brain.answers.fallback_answers import MODEL_UNAVAILABLE, Interruption
from finclaw.brain.types import TurnResult
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.llm.offline_model import MODEL_OFFLINE, OFFLINE_MODEL_ID
from foundation.model_usage.ceilings import CeilingStage, ceiling_reader
from memory.models import Receipt
from tests.brain.test_turn import ask, message
from tests.support.cast import allow
from tests.support.model_server import Behaviour, Drops, Exchange, ModelServer, Refuses, Says
from tests.support.talk import open_session

pytestmark = pytest.mark.django_db
GREETING = "Hello!"


@dataclass
class Models:
    """A small model and a large one, each with its behaviour; ``asked`` are those asked, in order."""

    small: Behaviour = field(default_factory=lambda: Refuses(503))
    large: Behaviour = field(default_factory=lambda: Says(("From the large one.",)))
    asked: list[str] = field(default_factory=list)

    def perform(self, exchange: Exchange) -> None:
        self.asked.append(exchange.request.body["model"])
        is_small = self.asked[-1] == current.MODEL_SMALL
        (self.small if is_small else self.large).perform(exchange)


@pytest.fixture
def models(alice: User) -> Iterator[Models]:
    allow(alice)
    models = Models()
    with (
        ModelServer(default=models) as server,
        override_settings(OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY="k", MODEL_MAX_RETRIES=0),
    ):
        yield models


def receipt_of(user: User, result: TurnResult) -> Receipt:
    with acting_as(user.pk):
        return Receipt.objects.get(pk=result.receipt_id)


@pytest.mark.parametrize("failure", [Refuses(503), Refuses(401), Refuses(429)])
def test_the_large_one_answers_and_the_receipt_says_who(alice: User, models: Models, failure: Behaviour) -> None:
    models.small = failure

    result = ask(alice, open_session(alice), GREETING)

    receipt = receipt_of(alice, result)
    assert (result.reply, receipt.answered_by) == ("From the large one.", current.MODEL_LARGE)
    assert receipt.degraded == ["small_model_unavailable"]


def test_where_that_is_down_too_the_offline_one_answers(alice: User, models: Models) -> None:
    models.large = Refuses(503)

    result = ask(alice, open_session(alice), GREETING)

    assert receipt_of(alice, result).answered_by == OFFLINE_MODEL_ID
    assert {MODEL_UNAVAILABLE, MODEL_OFFLINE} <= {*result.degraded}


def test_nobody_hears_of_one_that_failed_before_its_first_word(alice: User, models: Models) -> None:
    *pieces, result = turn.stream(turn.prepare(alice, message(open_session(alice).pk, GREETING)))

    assert isinstance(result, TurnResult)
    assert "".join(map(str, pieces)) == "From the large one."


def test_what_it_began_to_say_is_no_answer(alice: User, models: Models) -> None:
    models.small = Drops(("Half a ", "sen"))

    *pieces, result = turn.stream(turn.prepare(alice, message(open_session(alice).pk, GREETING)))

    broken = [isinstance(piece, Interruption) for piece in pieces].index(True)
    assert "".join(map(str, pieces[:broken])) == "Half a sen"
    assert "".join(map(str, pieces[broken + 1 :])) == "From the large one."
    assert isinstance(result, TurnResult)
    assert result.reply == "From the large one."


def test_where_the_ceiling_leaves_the_small_one_alone_it_is_asked_once(
    alice: User, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ceiling_reader, "stage_of", lambda _tenant: CeilingStage.SMALL_MODEL)

    result = ask(alice, open_session(alice), GREETING)

    assert receipt_of(alice, result).answered_by == OFFLINE_MODEL_ID
    assert models.asked == [current.MODEL_SMALL]
