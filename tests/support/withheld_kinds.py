"""A user who keeps a connected program from kinds of memory."""

from __future__ import annotations

from typing import Any

from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.outbox.tasks import drain
from tests.support.api import post, signed_in
from tests.support.cast import allow
from tests.support.forgetting import write_event
from tests.support.oauth import Assistant, register

TEA = "I like green tea from Hangzhou."
WORK = "I work at the Dresden fab."


class World:
    """Alice, who told what she likes and where she works, in a chat of her own; and her program."""

    def __init__(self, alice: User, *withheld: str, **connection: Any) -> None:
        allow(alice)
        self.alice, self.own = alice, signed_in(alice)
        self.tea = self._state(TEA, "preference")
        self.work = self._state(WORK, "insight")
        self.session = post(self.own, "/api/sessions", {"title": "Tea from Hangzhou"}).json()["session_id"]
        said = post(self.own, f"/api/sessions/{self.session}/messages", {"content": "I prefer Hangzhou tea to coffee."})
        self.message, self.receipt = said.json()["message_id"], said.json()["receipt_id"]
        self.event = write_event(self.own, self.session, "Alice bought tea in Hangzhou.")
        drain()
        assistant = Assistant(register(client_name="Notebook").json()["client_id"])
        self.program = assistant.connect(alice, **connection)
        self.token = str(assistant.tokens["access_token"])
        [connected] = self.own.get("/api/auth/programs").json()["results"]
        self.address = f"/api/auth/programs/{connected['program_id']}"
        if withheld:
            assert self.keep_from(*withheld).status_code == 200

    def keep_from(self, *kinds: str) -> Any:
        return self.own.patch(self.address, {"withheld_kinds": kinds})

    def _state(self, text: str, kind: str) -> str:
        given = {"text": text, "infer": False, "memory_type": kind}
        return str(post(self.own, "/api/memories", given).json()["results"][0]["memory_id"])


def told(client: APIClient) -> set[str]:
    return {memory["content"] for memory in client.get("/api/memories").json()["results"]}
