"""A model is never called inside a transaction."""

from __future__ import annotations

import pytest
from django.db import transaction

from foundation.llm import configured_model
from foundation.llm.offline_model import OfflineModel
from foundation.llm.transaction_guard import GuardedModel
from foundation.llm.types import Prompt

REFUSAL = "a model was called inside a transaction"


@pytest.mark.django_db
def test_inside_a_transaction_it_refuses(prompt: Prompt) -> None:
    with transaction.atomic(), pytest.raises(RuntimeError, match=REFUSAL):
        configured_model(None).call(prompt, "offline", kind="answer")


@pytest.mark.django_db
def test_a_stream_refuses_when_its_first_piece_is_asked_for_inside_one(prompt: Prompt) -> None:
    stream = configured_model(None).stream(prompt, "offline", kind="answer")

    with transaction.atomic(), pytest.raises(RuntimeError, match=REFUSAL):
        next(stream)


@pytest.mark.django_db
def test_the_transaction_of_a_test_case_itself_is_put_aside(prompt: Prompt) -> None:
    assert configured_model(None).call(prompt, "offline", kind="answer").text


@pytest.mark.django_db
def test_a_transaction_that_has_ended_is_no_obstacle(prompt: Prompt) -> None:
    with transaction.atomic():
        pass

    assert configured_model(None).call(prompt, "offline", kind="answer").text


def test_without_any_connection_there_is_nothing_to_guard(prompt: Prompt) -> None:
    assert GuardedModel(OfflineModel()).call(prompt, "offline").text
