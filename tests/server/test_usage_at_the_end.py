"""A web process that ends writes what its calls of models came to, first."""

from __future__ import annotations

import httpx
import pytest

from foundation.accounts.models import User
from foundation.accounts.services import issue_token
from foundation.database.acting_user import in_role
from foundation.database.roles import WORKER_ROLE
from foundation.model_usage.models import ModelUsage
from tests.support.cast import allow
from tests.support.model_server import Exchange, Hangs, ModelServer, Says
from tests.support.web_server import PATIENCE_SECONDS, running_web_server

pytestmark = [pytest.mark.workers, pytest.mark.django_db(transaction=True)]
ASKED = {"content": "What happened?"}


class HangsBeforeTheAnswer:
    """Never answers the small model's question, which asks for JSON."""

    def perform(self, exchange: Exchange) -> None:
        (Hangs() if "response_format" in exchange.request.body else Says()).perform(exchange)


def test_a_stop_loses_nothing_and_waits_for_no_abandoned_call(alice: User, model: ModelServer) -> None:
    allow(alice)
    model.default = HangsBeforeTheAnswer()
    headers = {"Authorization": f"Token {issue_token(alice)[1]}"}
    rare = {"MODEL_USAGE_FLUSH_SECONDS": "3600", "UNDERSTANDING_DEADLINE_MS": "100"}
    rare |= {"MODEL_FIRST_TOKEN_TIMEOUT_SECONDS": "600", "MODEL_TIMEOUT_SECONDS": "600"}
    with running_web_server(OPENAI_BASE_URL=model.base_url, OPENAI_API_KEY="test", **rare) as server:
        with httpx.Client(base_url=server.address, headers=headers, timeout=PATIENCE_SECONDS) as http:
            session = http.post("/api/sessions", json={}).json()["session_id"]
            assert http.post(f"/api/sessions/{session}/messages", json=ASKED).json()["reply"] == "Hello."
        with in_role(WORKER_ROLE):
            assert not ModelUsage.objects.exists()

    with in_role(WORKER_ROLE):
        assert ModelUsage.objects.get(kind="answer").calls == 1
