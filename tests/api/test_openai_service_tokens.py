"""An organisation's application speaks OpenAI's protocol for the people it serves, and for nobody else."""

from __future__ import annotations

from typing import Any

import openai
import pytest

from consent.models import AuditEvent
from foundation.accounts.models import ServiceToken, User
from foundation.accounts.service_tokens import revoke_service_token
from foundation.database.acting_user import acting_as
from foundation.personal_data import ConsentScope
from memory.models import ConversationEvent
from tests.support.api import MISSING
from tests.support.cast import allow
from tests.support.model_server import ModelServer
from tests.support.openai_clients import OpenedClients
from tests.support.service import program_with, served, tenant_with_token

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def acme(db: None) -> tuple[ServiceToken, str]:
    return tenant_with_token("Acme")


@pytest.fixture
def client(acme: tuple[ServiceToken, str], clients: OpenedClients, model_of_programs: ModelServer) -> openai.OpenAI:
    return clients.open(acme[1])


def _chat(client: openai.OpenAI, said: str = "I follow bonds.", **more: Any) -> Any:
    return client.chat.completions.create(
        **{"model": "finclaw", "messages": [{"role": "user", "content": said}], **more}
    )


def _said(user: User) -> list[str]:
    with acting_as(user.pk):
        return [event.text for event in ConversationEvent.objects.filter(role="user").order_by("created_at")]


def test_nobody_out_of_reach_is_spoken_for_or_told_apart(
    client: openai.OpenAI, clients: OpenedClients, alice: User
) -> None:
    allow(alice)
    other, plain = tenant_with_token("Globex")
    theirs = served(other, "cat")
    answered = clients.open(plain).responses.create(model="finclaw", input="I follow gold.", user="cat")
    for name in ("cat", str(theirs.pk), "alice", str(alice.pk), "nobody", MISSING):
        named: dict[str, Any] = {"extra_headers": {"X-FinClaw-User": name}}
        asked: list[Any] = [
            lambda named=named: _chat(client, **named),
            lambda name=name: _chat(client, user=name),
            lambda name=name: client.responses.create(model="finclaw", input="Hello", safety_identifier=name),
            lambda name=name: client.embeddings.create(model="finclaw", input="Hello", user=name),
            lambda named=named: client.responses.retrieve(answered.id, **named),
            lambda named=named: client.models.list(**named),
        ]
        for ask in asked:
            with pytest.raises(openai.PermissionDeniedError) as refused:
                ask()
            assert refused.value.code == "profile_consent_required", name
    assert (_said(theirs), _said(alice)) == (["I follow gold."], [])


def test_what_one_person_was_answered_is_not_there_for_another(
    client: openai.OpenAI, acme: tuple[ServiceToken, str]
) -> None:
    ann, ben = served(acme[0], "ann"), served(acme[0], "ben")
    answered = client.responses.create(model="finclaw", input="I follow gold.", user="ann")
    with pytest.raises(openai.NotFoundError):
        client.responses.retrieve(answered.id, extra_headers={"X-FinClaw-User": "ben"})
    with pytest.raises(openai.NotFoundError):
        client.responses.create(model="finclaw", input="And?", user="ben", previous_response_id=answered.id)
    mine = client.responses.retrieve(answered.id, extra_headers={"X-FinClaw-User": "ann"})
    assert (mine.id, _said(ann), _said(ben)) == (answered.id, ["I follow gold."], [])


def test_who_is_meant_the_header_says_before_the_body(client: openai.OpenAI, acme: tuple[ServiceToken, str]) -> None:
    ann, ben = served(acme[0], "ann"), served(acme[0], "ben")
    _chat(client, "One.", user="ann", safety_identifier="ben")
    _chat(client, "Two.", user="ben", extra_headers={"X-FinClaw-User": "ann"})
    _chat(client, "Three.", safety_identifier="ben")
    assert (_said(ann), _said(ben)) == (["One.", "Two."], ["Three."])
    for more in ({}, {"user": "me"}):
        with pytest.raises(openai.BadRequestError):
            _chat(client, **more)
    with acting_as(ann.pk):
        acts = AuditEvent.objects.filter(action="service.acted")
        assert {act.details["view"] for act in acts} == {"openai:chat_completions"}


def test_without_a_recorded_consent_nothing_is_answered_and_without_learning_nothing_is_known(
    client: openai.OpenAI, acme: tuple[ServiceToken, str]
) -> None:
    served(acme[0], "ann", [ConsentScope.SAVE_TO_THREAD])
    raw = client.chat.completions.with_raw_response.create(
        model="finclaw", messages=[{"role": "user", "content": "Hello"}], user="ann"
    )
    assert raw.headers["X-FinClaw-Memory"] == "off"
    assert program_with(acme[1]).delete("/api/provisioning/users/ann/consent").status_code == 200
    with pytest.raises(openai.PermissionDeniedError):
        _chat(client, user="ann")
    revoke_service_token(acme[0])
    with pytest.raises(openai.AuthenticationError):
        _chat(client, user="ann")


def test_a_context_block_is_that_of_the_person_named(acme: tuple[ServiceToken, str]) -> None:
    for name, told in (("ann", "I bought the vineyard in Burgundy."), ("ben", "I bought the vineyard in Tuscany.")):
        served(acme[0], name)
        added = program_with(acme[1], name).post("/api/memories", {"text": told, "infer": False})
        assert added.status_code == 201
    ask = {"query": "Which vineyard did I buy?"}
    for block in (
        program_with(acme[1], "ann").get("/api/context", ask),
        program_with(acme[1], "ann").post("/api/context", ask),
    ):
        assert "Burgundy" in block.json()["text"]
        assert "Tuscany" not in block.json()["text"]
    assert program_with(acme[1], "cat").get("/api/context", ask).status_code == 403
    assert program_with(acme[1]).post("/api/context", ask).status_code == 400
