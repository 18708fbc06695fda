"""A temporary conversation that goes on from an earlier response stays one: nothing of it is copied where it lasts."""

from __future__ import annotations

from typing import Any

import openai
import pytest

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.models import ConversationEvent, Session
from tests.support.api import post, signed_in
from tests.support.cast import allow
from tests.support.model_server import ModelServer
from tests.support.openai_clients import OpenedClients

pytestmark = pytest.mark.django_db(transaction=True)


def _ask(client: openai.OpenAI, given: str, **more: Any) -> Any:
    return client.responses.create(model="finclaw", input=given, **more)


@pytest.mark.parametrize("beside_a_lasting_one", [False, True])
def test_a_branch_of_a_temporary_conversation_is_temporary(
    alice: User, clients: OpenedClients, model_of_programs: ModelServer, beside_a_lasting_one: bool
) -> None:
    allow(alice)
    client = clients.open(alice)
    if beside_a_lasting_one:  # in which the very same was said
        lasting = _ask(client, "What of bonds?").conversation.id
    begun = post(signed_in(alice), "/api/sessions", {"remember": False}).json()["session_id"]
    first = _ask(client, "What of bonds?", conversation=begun)
    _ask(client, "And stocks?", previous_response_id=first.id)
    branch = _ask(client, "I hold silver.", previous_response_id=first.id)
    assert branch.conversation != first.conversation
    with acting_as(alice.pk):
        session = Session.objects.get(pk=branch.conversation.id.removeprefix("conv_"))
        assert not session.remember
        told = ConversationEvent.objects.filter(session=session)
        assert told.count() > 2
        assert not any(event.learnable for event in told)
        if beside_a_lasting_one:
            assert ConversationEvent.objects.filter(session_id=lasting.removeprefix("conv_")).count() == 2
