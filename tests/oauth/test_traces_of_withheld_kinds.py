"""What a program sees and writes tells it nothing of the memories that its user keeps from it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from consent.services import permit_for
from foundation.accounts.models import User
from foundation.database.acting_program import NO_PROGRAM, ActingProgram, act_through
from foundation.database.acting_user import acting_as
from foundation.ids import new_id
from foundation.outbox.tasks import drain
from memory.models import EntityProfile, MemoryItem
from memory.services.items import supersede
from memory.services.references import without_hidden_ids
from memory.services.versions import ItemDraft
from tests.support.api import MISSING, code_of, post, signed_in
from tests.support.cast import allow
from tests.support.items import add_item
from tests.support.statements import count_statements
from tests.support.withheld_kinds import TEA, WORK, World, told

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def world(alice: User) -> World:
    return World(alice, "preference")


def state(world: World, text: str, kind: str = "insight", **more: Any) -> MemoryItem:
    """A statement that Alice's own records hold, written by no program."""
    with acting_as(world.alice.pk):
        return add_item(permit_for(world.alice), ItemDraft(text, kind, "fact", "observation", 0.3, **more))


# --- learning ----------------------------------------------------------------------------------------
HIDDEN_CHANGES = {"added": "I love oolong.", "ended": "I don't like coffee any more.", "none": "I like coffee."}


@pytest.mark.parametrize("change", HIDDEN_CHANGES)
def test_a_job_tells_no_hidden_change(world: World, change: str) -> None:
    assert post(world.own, "/api/memories", {"text": "I like coffee."}).status_code == 202
    drain()
    text = HIDDEN_CHANGES[change]
    made = post(world.program, "/api/memories", {"text": text}, key="one").json()
    drain()
    assert bool(world.own.get(f"/api/jobs/{made['job_id']}").json()["results"]) == (change != "none")
    seen = world.program.get(f"/api/jobs/{made['job_id']}").json()
    assert (seen["state"], seen["results"]) == ("done", [])
    assert post(world.program, "/api/memories", {"text": text}, key="one").json()["results"] == []


def test_a_job_tells_a_visible_change(world: World) -> None:
    made = post(world.program, "/api/memories", {"text": "I love oolong and I live in Lisbon."}).json()
    drain()
    [change] = world.program.get(f"/api/jobs/{made['job_id']}").json()["results"]
    assert (change["event"], "Lisbon" in change["memory"]) == ("ADD", True)


# --- portraits ---------------------------------------------------------------------------------------
def test_a_hidden_portrait_is_not_written(alice: User, bob: User) -> None:
    world = World(alice, "profile")
    allow(bob)
    with acting_as(alice.pk):
        before = list(EntityProfile.objects.values_list("pk", "revision"))
    for entity, status, code in (("me", 403, "kind_withheld"), (bob.pk, 404, "not_found"), (MISSING, 404, "not_found")):
        address = f"/api/entity-profiles/user/{entity}"
        for answer in (world.program.patch(address, {"body": "- Drinks."}), post(world.program, f"{address}/rollback")):
            assert (answer.status_code, code_of(answer)) == (status, code)
    assert world.program.delete("/api/entity-profiles/user/me").status_code == 404
    with acting_as(alice.pk):
        assert list(EntityProfile.objects.values_list("pk", "revision")) == before
    assert world.own.patch("/api/entity-profiles/user/me", {"body": "- Drinks."}).status_code == 200


# --- deciding ----------------------------------------------------------------------------------------
def test_what_is_confirmed_through_it_ends_what_it_does_not_see(world: World) -> None:
    with acting_as(world.alice.pk):
        tea = MemoryItem.objects.get(pk=world.tea)
    waiting = state(world, "I gave up tea.", detail={"puts_away": [str(tea.chain_id)]}, quarantined=True)
    address = f"/api/memories/{waiting.pk}"
    assert post(world.program, f"{address}/confirm").status_code == 200
    assert "I gave up tea." in told(world.program)
    assert TEA not in told(world.own)
    assert world.tea in world.own.get(f"{address}/history").content.decode()
    history = world.program.get(f"{address}/history").content.decode()
    assert not {world.tea, str(tea.chain_id)} & set(history.split('"'))
    assert post(world.program, f"{address}/undo").status_code == 200
    assert TEA in told(world.own)
    assert TEA not in told(world.program)


def test_an_undo_into_hidden_words_is_refused(world: World) -> None:
    changed = world.program.patch(f"/api/memories/{world.work}", {"content": "I work in Dresden."}).json()
    state(world, WORK, "preference")
    refused = post(world.program, f"/api/memories/{changed['memory_id']}/undo")
    assert (refused.status_code, code_of(refused)) == (403, "kind_withheld")


# --- naming ------------------------------------------------------------------------------------------
def test_a_visible_memory_names_nothing_hidden(world: World) -> None:
    said = post(world.own, f"/api/sessions/{world.session}/messages", {"content": "I live in Lisbon."}).json()
    drain()
    [lisbon] = [memory for memory in world.own.get("/api/memories").json()["results"] if "Lisbon" in memory["content"]]
    assert lisbon["source_sessions"] == [world.session]
    assert lisbon["provenance"]["message_ids"] == [said["user_message_id"]]
    address = f"/api/memories/{lisbon['memory_id']}"
    asked = [
        world.program.get("/api/memories"), world.program.get(address), world.program.get(f"{address}/history"),
        post(world.program, "/api/memories/search", {"query": "Where do I live?"}),
    ]  # fmt: skip
    for answer in asked:
        body = answer.content.decode()
        assert "Lisbon" in body
        assert not {world.session, said["user_message_id"]} & set(body.split('"'))
    seen = world.program.get(address).json()
    assert (seen["source_sessions"], seen["superseded_by"], "message_ids" in seen["provenance"]) == ([], None, False)
    assert set(lisbon["provenance"]) - set(seen["provenance"]) == {"message_ids"}


def test_a_visible_memory_names_no_hidden_one(world: World) -> None:
    with acting_as(world.alice.pk):
        chain = MemoryItem.objects.get(pk=world.tea).chain_id
    doubted = state(world, "I drink coffee at work.", detail={"may_change": [str(chain)]})
    old = state(world, "I cycle to work.")
    with acting_as(world.alice.pk):
        draft = ItemDraft("I like to cycle.", "preference", "fact", "observation", 0.3)
        hidden = supersede(permit_for(world.alice), old, draft)
    assert world.own.get(f"/api/memories/{doubted.pk}").json()["provenance"]["may_change"] == [str(chain)]
    assert world.own.get(f"/api/memories/{old.pk}").json()["superseded_by"] == str(hidden.pk)
    assert "may_change" not in world.program.get(f"/api/memories/{doubted.pk}").json()["provenance"]
    assert world.program.get(f"/api/memories/{old.pk}").json()["superseded_by"] is None


def test_a_list_asks_once_what_it_may_name(world: World) -> None:
    rows, shown = [{"may_change": [world.tea, world.work]} for _ in range(3)], list[dict[str, Any]]()
    act_through(ActingProgram(new_id(), ("preference",)))
    try:
        with acting_as(world.alice.pk):
            assert count_statements(lambda: shown.extend(without_hidden_ids(rows))) == 1
    finally:
        act_through(NO_PROGRAM)
    assert shown == [{"may_change": [world.work]}] * 3


def test_what_it_sees_is_named_as_before(world: World) -> None:
    changed = world.program.patch(f"/api/memories/{world.work}", {"content": "I work in Dresden."}).json()
    assert world.program.get(f"/api/memories/{world.work}").json()["superseded_by"] == changed["memory_id"]
    assert post(world.program, "/api/memories", {"text": "I live in Lisbon."}).status_code == 202
    drain()
    [lisbon] = [m for m in world.program.get("/api/memories").json()["results"] if "Lisbon" in m["content"]]
    assert len(lisbon["source_sessions"]) == len(lisbon["provenance"]["message_ids"]) == 1
    assert lisbon == signed_in(world.alice).get(f"/api/memories/{lisbon['memory_id']}").json()


def test_a_receipt_counts_what_was_seen(world: World) -> None:
    assert post(world.program, "/api/memories", {"text": "I love oolong and I live in Lisbon."}).status_code == 202
    drain()
    [lisbon] = [m for m in world.program.get("/api/memories").json()["results"] if "Lisbon" in m["content"]]
    [session] = lisbon["source_sessions"]
    receipt = world.program.delete(f"/api/sessions/{UUID(session)}")
    assert (receipt.status_code, receipt.json()["item_count"]) == (202, 1)
    drain()
    assert not [content for content in told(world.own) if "oolong" in content or "Lisbon" in content]
