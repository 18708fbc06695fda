"""A user keeps a program from kinds of memory: it neither sees nor writes them, whatever it asks."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from django.db import ProgrammingError, transaction
from pytest_django import Settings
from rest_framework.test import APIClient

from consent.models import AuditEvent
from foundation.accounts.models import ConnectedProgram, User
from foundation.accounts.scopes import ALL_SCOPES
from foundation.accounts.services import issue_token
from foundation.database.acting_program import NO_PROGRAM, ActingProgram, act_through, acting_program, in_full_sight
from foundation.database.acting_user import acting_as
from foundation.ids import new_id
from foundation.outbox.tasks import drain
from memory.kinds import KINDS, with_retellings
from memory.models import (
    CognitiveEvent,
    ConversationEvent,
    EntityProfile,
    EvolutionEvent,
    MemoryItem,
    Receipt,
    ReceiptLine,
    SearchEntry,
    Session,
    ToolReceipt,
)
from tests.support.api import MISSING, code_of, post, signed_in
from tests.support.cast import allow
from tests.support.oauth import Assistant, register, with_token
from tests.support.openai_clients import model_of_programs
from tests.support.withheld_kinds import TEA, WORK, World, told

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def world(alice: User) -> World:
    return World(alice, "preference")


# --- the choice --------------------------------------------------------------------------------------
def test_nobody_else_and_no_program_chooses(alice: User, bob: User) -> None:
    world = World(alice)
    allow(bob)
    assert signed_in(bob).get("/api/auth/programs").json()["results"] == []
    assert signed_in(bob).patch(world.address, {"withheld_kinds": ["event"]}).status_code == 404
    assert world.program.patch(world.address, {"withheld_kinds": []}).status_code == 403
    assert world.program.get("/api/auth/programs").status_code == 403
    assert APIClient().patch(world.address, {"withheld_kinds": []}, format="json").status_code == 401
    assert world.own.patch(f"/api/auth/programs/{MISSING}", {"withheld_kinds": []}).status_code == 404


def test_other_methods_and_malformed_choices_are_refused(alice: User) -> None:
    world = World(alice)
    assert world.own.put(world.address, {}).status_code == 405
    assert world.own.post("/api/auth/programs", {}).status_code == 405
    malformed: tuple[Any, ...] = ({}, {"withheld_kinds": "event"}, {"withheld_kinds": ["gossip"]}, {"kinds": []})
    for wrong in malformed:
        answer = world.own.patch(world.address, wrong)
        assert (answer.status_code, code_of(answer)) == (400, "validation_error")
    assert world.own.patch(world.address, {"withheld_kinds": ["event"] * 11}).status_code == 400


def test_the_choice_is_told_kept_and_audited(world: World) -> None:
    answer = world.keep_from("turn", "preference", "turn").json()
    assert answer["withheld_kinds"] == ["preference", "turn"]
    assert world.program.get("/api/auth/token").json()["withheld_kinds"] == ["preference", "turn"]
    assert world.own.get("/api/auth/token").json()["withheld_kinds"] == []
    with acting_as(world.alice.pk):
        event = AuditEvent.objects.filter(action="program.kinds_withheld").latest("at")
    assert (event.actor_id, event.details) == (world.alice.pk, {"withheld_kinds": ["preference", "turn"]})
    assert world.own.get("/api/auth/programs").json()["results"][0]["scopes"] == list(ALL_SCOPES)


def test_a_program_that_is_connected_again_sees_no_more(alice: User) -> None:
    allow(alice)
    assistant = Assistant()
    assistant.connect(alice)
    with acting_as(alice.pk):
        ConnectedProgram.objects.update(withheld_kinds=["event"])
    assert assistant.connect(alice).get("/api/auth/token").json()["withheld_kinds"] == ["event"]


def test_what_retells_a_kind_is_kept_with_it() -> None:
    assert with_retellings([]) == ()
    assert with_retellings(["turn"]) == ("turn",)
    assert with_retellings(["profile"]) == ("profile",)
    assert with_retellings(["event"]) == ("event", "profile", "turn")
    assert with_retellings(["pattern"]) == ("pattern", "event", "profile", "turn")
    searched = {*MemoryItem.MemoryType.values, *SearchEntry.Kind.values}
    assert set(KINDS) == searched - {"item", "document"}, "files are kept with the chats that they are part of"


# --- reading -----------------------------------------------------------------------------------------
def test_a_program_that_is_kept_from_nothing_sees_everything(alice: User) -> None:
    world = World(alice)
    assert {TEA, WORK} <= told(world.program)
    assert world.program.get(f"/api/sessions/{world.session}/messages").status_code == 200
    assert world.program.get(f"/api/events/{world.event}").status_code == 200


def test_no_address_shows_it(world: World) -> None:
    asked = [
        world.program.get("/api/memories"),
        world.program.get("/api/memories?include_invalid=true&q=tea"),
        world.program.get("/api/memories?memory_type=preference"),
        world.program.get(f"/api/memories/{world.tea}"),
        world.program.get(f"/api/memories/{world.tea}/history"),
        world.program.get("/api/events"),
        world.program.get(f"/api/events/{world.event}"),
        world.program.get(f"/api/entity-profiles/user/{world.alice.pk}"),
        world.program.get(f"/api/entity-profiles/user/{world.alice.pk}/revisions"),
        world.program.get("/api/sessions"),
        world.program.get(f"/api/sessions/{world.session}"),
        world.program.get(f"/api/sessions/{world.session}/messages"),
        world.program.get(f"/api/messages/{world.message}/learned"),
        world.program.get(f"/api/receipts/{world.receipt}"),
        world.program.get(f"/v1/receipts/{world.receipt}"),
        world.program.get("/api/context?query=Which+tea+do+I+like%3F"),
        *(post(world.program, path, {"query": "Which tea do I like?"}) for path in (
            "/api/memories/search", "/api/events/search", "/api/entity-profiles/search", "/api/messages/search",
        )),
    ]  # fmt: skip
    for answer in asked:
        assert answer.status_code in {200, 404}, (answer.request["PATH_INFO"], answer.content)
        body = answer.content.decode()
        assert "Hangzhou" not in body, answer.request["PATH_INFO"]
        assert world.tea not in body, answer.request["PATH_INFO"]
    assert told(world.program) == {WORK}
    found = post(world.program, "/api/memories/search", {"query": "Where do I work?"}).json()["results"]
    assert WORK in {hit["content"] for hit in found}
    assert TEA in told(world.own)


def test_every_table_that_tells_of_memories_obeys(world: World) -> None:
    tables = (MemoryItem, EvolutionEvent, CognitiveEvent, EntityProfile, EntityProfile.history.model, Session,
              ConversationEvent, Receipt, ReceiptLine, ToolReceipt, SearchEntry)  # fmt: skip
    user, everything = world.alice.pk, ActingProgram(new_id(), KINDS)

    def counted() -> dict[str, int]:
        with acting_as(user):
            return {table.__name__: table._default_manager.count() for table in tables}

    whole = counted()
    assert all(count for name, count in whole.items() if name != "ToolReceipt"), whole
    act_through(everything)
    try:
        assert not any(counted().values())
        with in_full_sight():
            assert counted() == whole
        with acting_as(user), in_full_sight():
            assert MemoryItem.objects.exists()
        with acting_as(user), pytest.raises(ValueError, match="whole"), in_full_sight():
            raise ValueError("whole")
        assert not any(counted().values())
    finally:
        act_through(NO_PROGRAM)
    assert counted() == whole


def test_events_alone_can_be_kept(alice: User) -> None:
    world = World(alice, "event")
    assert {TEA, WORK} <= told(world.program)
    assert world.program.get("/api/events").json()["results"] == []


def test_another_program_and_its_user_see_as_before(world: World) -> None:
    other = Assistant(register(client_name="Other").json()["client_id"]).connect(world.alice)
    world.program.get("/api/memories")
    assert {TEA, WORK} <= told(other)
    assert acting_program() == NO_PROGRAM


# --- writing -----------------------------------------------------------------------------------------
def test_a_withheld_kind_is_refused_before_it_is_stored(world: World) -> None:
    def state(text: str, kind: str) -> Any:
        return post(world.program, "/api/memories", {"text": text, "infer": False, "memory_type": kind})

    refused = state("I like oolong.", "preference")
    assert (refused.status_code, code_of(refused)) == (403, "kind_withheld")
    same_words = state(TEA, "insight")
    assert (same_words.status_code, code_of(same_words)) == (403, "kind_withheld")
    assert state("I own a bicycle.", "insight").status_code == 201
    assert "I like oolong." not in told(world.own)
    assert "I own a bicycle." in told(world.own)


def test_what_is_hidden_is_neither_changed_nor_forgotten(world: World) -> None:
    hidden = f"/api/memories/{world.tea}"
    assert world.program.patch(hidden, {"content": "I like nothing."}).status_code == 404
    for act in ("confirm", "reject", "undo", "take-back"):
        assert post(world.program, f"{hidden}/{act}").status_code == 404
    assert world.program.delete(hidden).status_code == 404
    assert world.program.delete(f"/api/sessions/{world.session}").status_code == 404
    everything = world.program.delete("/api/memories", {"confirm": world.alice.username})
    assert (everything.status_code, code_of(everything)) == (403, "kind_withheld")
    assert world.program.patch(f"/api/memories/{world.work}", {"content": "I work in Dresden."}).status_code == 200
    assert {TEA, "I work in Dresden."} <= told(world.own)


def test_the_database_refuses_what_a_service_forgot(world: World) -> None:
    act_through(ActingProgram(new_id(), ("preference",)))
    try:
        with acting_as(world.alice.pk):
            seen = MemoryItem.objects.get(pk=world.work)
            with pytest.raises(ProgrammingError, match="withheld_from_program"), transaction.atomic():
                MemoryItem.objects.filter(pk=seen.pk).update(memory_type="preference")
            assert not MemoryItem.objects.filter(pk=world.tea).update(confidence=0.1)
            assert not MemoryItem.objects.filter(pk=world.tea).delete()[0]
    finally:
        act_through(NO_PROGRAM)


def test_what_is_learned_from_its_words_is_its_users_alone(world: World) -> None:
    assert post(world.program, "/api/memories", {"text": "I love oolong and I live in Lisbon."}).status_code == 202
    drain()
    learned = {memory["content"] for memory in world.own.get("/api/memories").json()["results"]} - {TEA, WORK}
    assert any("oolong" in content for content in learned)
    assert not any("oolong" in content for content in told(world.program))
    assert any("Lisbon" in content for content in told(world.program))


def test_what_is_forgotten_through_it_is_forgotten_whole(world: World) -> None:
    said = post(world.own, f"/api/sessions/{world.session}/messages", {"content": "I live in Lisbon."}).json()
    drain()
    [lisbon] = [m for m in world.own.get("/api/memories").json()["results"] if "Lisbon" in m["content"]]
    assert world.program.delete(f"/api/memories/{lisbon['memory_id']}").status_code == 202
    drain()
    with acting_as(world.alice.pk):
        message = ConversationEvent.objects.get(pk=said["user_message_id"])
        assert "Lisbon" not in message.text


# --- conversing --------------------------------------------------------------------------------------
def chat(client: APIClient, content: str, **more: Any) -> Any:
    asked = {"model": "finclaw", "messages": [{"role": "user", "content": content}]} | more
    return post(client, "/v1/chat/completions", asked)


def test_a_prompt_holds_none_of_it(world: World, settings: Settings) -> None:
    with model_of_programs(settings) as server:
        for stream in (False, True):
            answer = chat(world.program, "Which tea do I like, and where do I work?", stream=stream)
            assert answer.status_code == 200
            if stream:
                assert b"[DONE]" in b"".join(answer.streaming_content)
        prompts = str([request.body for request in server.requests])
        assert "Dresden" in prompts
        assert "Hangzhou" not in prompts
        assert chat(world.own, "Which tea do I like?").status_code == 200
        assert "Hangzhou" in str(server.requests[-1].body)
    assert acting_program() == NO_PROGRAM


def test_a_program_sees_the_chats_that_it_began(world: World, settings: Settings) -> None:
    with model_of_programs(settings):
        begun = UUID(chat(world.program, "I work with wafers.")["X-FinClaw-Session"])
        answer = chat(world.program, "Go on.", stream=False)
    drain()
    [*sessions] = world.program.get("/api/sessions").json()["results"]
    assert str(begun) in {session["session_id"] for session in sessions}
    assert world.session not in {session["session_id"] for session in sessions}
    assert len(world.program.get(f"/api/sessions/{begun}/messages").json()["results"]) == 2
    explained = world.program.get(f"/v1/receipts/{answer['X-FinClaw-Receipt']}")
    assert explained.status_code == 200
    assert world.own.get(f"/api/sessions/{begun}").status_code == 200


def test_a_wish_for_a_style_is_kept_for_its_user(world: World, settings: Settings) -> None:
    world.keep_from("persona_preference")
    with model_of_programs(settings):
        assert chat(world.program, "From now on always answer in German, please.").status_code == 200
    drain()
    assert not world.program.get("/api/memories?memory_type=persona_preference").json()["results"]


# --- keys --------------------------------------------------------------------------------------------
@pytest.fixture
def key(world: World) -> APIClient:
    """A key of Alice's that is kept from preferences, beside the one that she uses herself."""
    token, plain = issue_token(world.alice, "mem0")
    kept = world.own.patch(f"/api/auth/tokens/{token.id}", {"withheld_kinds": ["preference"]})
    assert (kept.status_code, kept.json()["withheld_kinds"]) == (200, ["preference"])
    return with_token(plain)


def test_only_its_user_keeps_a_key_from_kinds(world: World, key: APIClient, bob: User) -> None:
    allow(bob)
    address = f"/api/auth/tokens/{key.get('/api/auth/token').json()['id']}"
    assert signed_in(bob).patch(address, {"withheld_kinds": []}).status_code == 404
    assert key.patch(address, {"withheld_kinds": []}).status_code == 403
    assert world.program.patch(address, {"withheld_kinds": []}).status_code == 403
    assert world.own.patch(address, {"withheld_kinds": ["gossip"]}).status_code == 400
    assert world.own.patch(f"/api/auth/tokens/{MISSING}", {"withheld_kinds": []}).status_code == 404


def test_a_kept_key_sees_and_writes_as_a_kept_program(world: World, key: APIClient) -> None:
    assert told(key) == {WORK}
    assert key.get(f"/api/sessions/{world.session}/messages").status_code == 404
    refused = post(key, "/api/memories", {"text": "I like oolong.", "infer": False, "memory_type": "preference"})
    assert (refused.status_code, code_of(refused)) == (403, "kind_withheld")
    session = post(key, "/api/sessions", {}).json()["session_id"]
    assert key.get(f"/api/sessions/{session}/messages").status_code == 200


def test_mem0s_verbs_obey_a_kept_key(world: World, key: APIClient) -> None:
    asked = [
        post(key, "/v3/memories/", {"filters": {"user_id": "me"}}),
        post(key, "/v3/memories/search/", {"query": "Which tea do I like?", "filters": {"user_id": "me"}}),
        key.get("/mem0/memories?user_id=me"),
        post(key, "/mem0/search", {"query": "Where do I work?", "filters": {"user_id": "me"}}),
    ]
    for answer in asked:
        assert answer.status_code == 200, answer.content
        assert "Hangzhou" not in answer.content.decode()
    assert any("Dresden" in answer.content.decode() for answer in asked)
    for path in (f"/v1/memories/{world.tea}/", f"/v1/memories/{world.tea}/history/", f"/mem0/memories/{world.tea}"):
        assert key.get(path).status_code == 404
    assert key.delete(f"/v1/memories/{world.tea}/").status_code == 404
    everything = key.delete("/v1/memories/?user_id=me")
    assert (everything.status_code, everything.json()["code"]) == (403, "kind_withheld")
    assert TEA in told(world.own)


def test_what_would_tell_all_is_closed_to_a_kept_key(world: World, key: APIClient) -> None:
    closed = {
        "/api/exports": "get", "/api/webhooks": "get", "/api/auth/tokens": "get", "/api/groups": "get",
        "/api/memories/proposals": "get", "/api/users/me/profile-consent": "get", "/api/users/me/export": "post",
        "/v1/exports/": "post", "/v1/exports/get/": "post",
    }  # fmt: skip
    for path, method in closed.items():
        answer = getattr(key, method)(path)
        assert (answer.status_code, answer.json()["code"]) == (403, "permission_denied"), path
        assert not answer.has_header("WWW-Authenticate"), path
    assert world.own.get("/api/exports").status_code == 200
