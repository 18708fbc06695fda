"""Portraits over HTTP (M-44): each their own, a group's for its members, and nothing of anybody else's."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from django.test import override_settings
from rest_framework.test import APIClient

from foundation.accounts.groups import remove_member
from foundation.accounts.models import ChatGroup, User
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from tests.support.api import MISSING, code_of, post
from tests.support.cast import allow, group_with
from tests.support.talk import memories, open_session, say

MINE = "/api/entity-profiles/user/me"
SEARCH = "/api/entity-profiles/search"


def _tell(client: APIClient, new_info: str, request_id: str, **session: object) -> None:
    opened = post(client, "/api/sessions", session).json()["session_id"]
    post(client, f"/api/sessions/{opened}/end", {"request_id": request_id, "new_info": new_info})
    drain()


def _patch(client: APIClient, path: str, body: Any, key: str = "") -> Any:
    return client.patch(path, {"body": body}, format="json", headers={"Idempotency-Key": key} if key else {})


@pytest.fixture
def desk(alice: User, bob: User, charlie: User, as_alice: APIClient, as_bob: APIClient) -> ChatGroup:
    """Alice and Bob each said something in it, Alice also something in private."""
    for person in (alice, bob, charlie):
        allow(person)
    group = group_with(alice, [bob])
    _tell(as_alice, "I like zanzibar tea.", "a1", group_id=str(group.pk))
    _tell(as_bob, "I like mocha coffee.", "b1", group_id=str(group.pk))
    _tell(as_alice, "I live in Lisbon.", "a2")
    return group


def test_another_persons_portrait_is_absent_whatever_is_asked_of_it(
    alice: User, desk: ChatGroup, as_bob: APIClient, as_charlie: APIClient
) -> None:
    theirs = [f"/api/entity-profiles/user/{key}" for key in (alice.pk, MISSING)]
    groups = [f"/api/entity-profiles/group/{key}" for key in (desk.pk, MISSING)]
    for client, paths in ((as_bob, [*theirs, groups[1]]), (as_charlie, [*theirs, *groups])):
        answers = [
            answer
            for path in paths
            for answer in (
                client.get(path),
                _patch(client, path, "- Mine"),
                client.delete(path),
                client.get(f"{path}/revisions"),
                post(client, f"{path}/rollback", {}),
            )
        ]
        assert {(answer.status_code, code_of(answer)) for answer in answers} == {(404, "not_found")}
        for named in ({"entity_id": str(alice.pk)}, {"entity_type": "user", "entity_id": str(alice.pk)}):
            assert post(client, SEARCH, {"query": "Lisbon", **named}).status_code == 404
    found = post(as_charlie, SEARCH, {"query": "zanzibar Lisbon mocha"}).json()
    assert found == {"results": [], "degraded": []}


def test_a_portrait_is_read_with_everything_its_front_matter_says(
    alice: User, desk: ChatGroup, as_alice: APIClient
) -> None:
    answer = as_alice.get(MINE).json()

    assert answer["body"] == (
        "# User portrait\n\n## Person and daily life\n- Alice lives in Lisbon.\n\n"
        "## Tastes\n- Alice likes zanzibar tea."
    )
    assert answer == as_alice.get(f"/api/entity-profiles/user/{alice.pk}").json()
    assert (answer["entity_type"], answer["entity_id"], answer["name"]) == ("user", str(alice.pk), "Alice")
    assert (answer["tags"], answer["source_event_id"], answer["revision"]) == (["Lisbon", "zanzibar tea"], "a2:1", 2)
    assert answer["own_body"] == answer["body"]
    assert [(line["section"], line["text"], line["stated"]) for line in answer["lines"]] == [
        ("who", "Alice lives in Lisbon.", False), ("tastes", "Alice likes zanzibar tea.", False),
    ]  # fmt: skip
    assert [source["id"] for line in answer["lines"] for source in line["sources"]] == ["a2:1", "a1:1"]
    _, front_matter, body = answer["markdown"].split("---\n", 2)
    assert body.strip() == answer["body"]
    assert yaml.safe_load(front_matter)["source_event_id"] == answer["source_event_id"] == "a2:1"


def test_members_read_the_whole_and_edit_their_part(desk: ChatGroup, as_alice: APIClient, as_bob: APIClient) -> None:
    path = f"/api/entity-profiles/group/{desk.pk}"
    assert as_alice.get(path).json()["body"] == as_bob.get(path).json()["body"]

    edited = _patch(as_bob, path, "- I drink water")

    assert edited.status_code == 200
    assert edited.json()["own_body"] == "# Group portrait\n\n## Person and daily life\n- I drink water"
    whole = as_alice.get(path).json()
    assert "- Bob: I drink water" in whole["body"]
    assert "zanzibar" in whole["own_body"]
    assert "water" not in whole["own_body"]


def test_who_left_reads_it_no_more_and_may_still_forget_their_part(
    bob: User, desk: ChatGroup, as_alice: APIClient, as_bob: APIClient
) -> None:
    path = f"/api/entity-profiles/group/{desk.pk}"
    remove_member(bob, desk.pk, bob.pk)

    assert as_bob.get(path).status_code == 404
    assert _patch(as_bob, path, "- Back again").status_code == 404
    assert "mocha" not in as_alice.get(path).json()["body"]
    receipt = as_bob.delete(path)
    drain()

    assert receipt.status_code == 202
    assert receipt.json()["item_count"] == 1
    assert as_bob.get(receipt.json()["certificate_url"]).status_code == 200


def test_an_edit_is_a_revision_that_can_be_taken_back(desk: ChatGroup, as_alice: APIClient) -> None:
    before = as_alice.get(MINE).json()["body"]
    _patch(as_alice, MINE, "- I swim")

    page = as_alice.get(f"{MINE}/revisions").json()
    kept = page["results"]
    back = post(as_alice, f"{MINE}/rollback", {})
    named = post(as_alice, f"{MINE}/rollback", {"revision": 1})

    assert (page["next"], page["previous"]) == (None, None)
    assert [(one["revision"], one["change"]) for one in kept] == [(2, "learned"), (1, "learned")]
    assert (back.json()["body"], back.json()["revision"]) == (before, 4)
    assert named.json()["body"].endswith("- Alice likes zanzibar tea.")
    latest = as_alice.get(f"{MINE}/revisions").json()["results"][0]
    assert (latest["change"], latest["restored_revision"]) == ("rolled_back", 2)
    assert post(as_alice, f"{MINE}/rollback", {"revision": 99}).status_code == 404


def test_five_former_versions_are_kept(desk: ChatGroup, as_alice: APIClient) -> None:
    for number in range(9):
        _patch(as_alice, MINE, f"- Version {number}")

    kept = as_alice.get(f"{MINE}/revisions").json()["results"]

    assert [one["body"][-1] for one in kept] == ["7", "6", "5", "4", "3"]


def test_a_repeated_edit_of_one_key_is_one_revision(desk: ChatGroup, as_alice: APIClient) -> None:
    first, again = (_patch(as_alice, MINE, "- I swim", key="k") for _ in range(2))

    assert first.json() == again.json()
    assert first.json()["revision"] == 3


def test_what_is_sensitive_is_masked_or_refused_before_it_is_stored(desk: ChatGroup, as_alice: APIClient) -> None:
    masked = _patch(as_alice, MINE, "- Write to alice@example.com")
    refused = _patch(as_alice, MINE, "- Card 4111 1111 1111 1111")

    assert masked.json()["masked"] == [{"field": "body", "kind": "email"}]
    assert "alice@example.com" not in as_alice.get(MINE).json()["body"]
    assert (refused.status_code, code_of(refused)) == (422, "sensitive_input")
    assert "4111" not in str(as_alice.get(f"{MINE}/revisions").json()) + as_alice.get(MINE).json()["body"]


@pytest.mark.parametrize("body", [None, [], "x" * 4_001])
def test_what_is_no_markdown_of_a_portraits_size_is_refused(desk: ChatGroup, as_alice: APIClient, body: object) -> None:
    assert code_of(_patch(as_alice, MINE, body)) == "validation_error"


def test_search_finds_ones_own_and_ones_groups(alice: User, desk: ChatGroup, as_alice: APIClient) -> None:
    found = post(as_alice, SEARCH, {"query": "mocha coffee"}).json()["results"]
    own = post(as_alice, SEARCH, {"query": "Lisbon", "entity_type": "user"}).json()["results"]

    assert found[0]["entity_id"] == str(desk.pk)
    assert [row["entity_id"] for row in own] == [str(alice.pk)]
    assert own[0]["score"] > 0
    assert post(as_alice, SEARCH, {"query": "zzzqqq"}).json()["results"] == []
    above = {"query": "Lisbon", "entity_type": "user", "min_score": own[0]["score"] + 1}
    assert post(as_alice, SEARCH, above).json()["results"] == []


def test_without_the_scope_there_is_nothing_to_read_or_write(alice: User, desk: ChatGroup, as_alice: APIClient) -> None:
    allow(alice, ConsentScope.SAVE_TO_PROFILE)

    assert as_alice.get(MINE).status_code == 404
    assert code_of(_patch(as_alice, MINE, "- I swim")) == "consent_scope_missing"
    assert post(as_alice, SEARCH, {"query": "Lisbon"}).json()["results"] == []


def test_a_person_may_begin_their_own_portrait(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    assert as_alice.get(MINE).status_code == 404

    assert _patch(as_alice, MINE, "我是一名教师").json()["body"] == "# 用户侧写\n\n## 个人与日常\n- 我是一名教师"


def test_a_line_names_the_memory_behind_it_and_the_message_that_told_it(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    with override_settings(PORTRAIT_REMAKE_SECONDS=0.0):
        [message] = say(alice, open_session(alice), "I work as a nurse.")
    [item] = memories(alice)

    [line] = as_alice.get(MINE).json()["lines"]

    assert (line["section"], line["user_id"]) == ("work", str(alice.pk))
    [source] = line["sources"]
    assert (source["kind"], source["id"], source["provenance"]) == ("item", str(item.pk), item.provenance)
    assert source["message_ids"] == [str(message.pk)]


def test_a_members_line_names_no_memory_to_others(alice: User, bob: User, as_bob: APIClient) -> None:
    allow(alice)
    allow(bob)
    group = group_with(alice, [bob])
    with override_settings(PORTRAIT_REMAKE_SECONDS=0.0):
        say(alice, open_session(alice, group_id=group.pk), "I work as a nurse.")

    [line] = as_bob.get(f"/api/entity-profiles/group/{group.pk}").json()["lines"]

    assert (line["text"], line["user_id"], line["sources"]) == ("Alice: Works as a nurse", str(alice.pk), [])
