"""mem0's client, unchanged, keeps the memories of an organisation's users or of one person; told by its requests.

The paths, bodies and answers are those of ``mem0ai`` 2.2.1 (Python) and 3.3.1 (npm).
"""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from consent.erasure.services import erasures_of
from consent.models import AuditEvent
from finclaw.mem0_api import views
from foundation.accounts.models import ServiceToken, User
from foundation.accounts.service_tokens import revoke_service_token
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from tests.support.api import MISSING, post
from tests.support.cast import allow
from tests.support.service import program_with, served, tenant_with_token

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def acme(db: None) -> tuple[ServiceToken, str]:
    return tenant_with_token("Acme")


@pytest.fixture
def client(acme: tuple[ServiceToken, str]) -> APIClient:
    """Acme's application, which serves Ann and Ben."""
    for name in ("ann", "ben"):
        served(acme[0], name)
    return program_with(acme[1])


def _told(client: APIClient, name: str, text: str, **more: Any) -> str:
    body = {"messages": [{"role": "user", "content": text}], "user_id": name, "infer": False, **more}
    answer = post(client, "/v3/memories/add/", body)
    assert answer.status_code == 200, answer.json()
    return str(answer.json()["results"][0]["id"])


def _listed(client: APIClient, filters: dict[str, Any]) -> set[str]:
    answer = post(client, "/v3/memories/", {"filters": filters})
    assert answer.status_code == 200, answer.json()
    return {row["memory"] for row in answer.json()["results"]}


def test_nobody_out_of_reach_is_read_written_or_told_apart(client: APIClient, alice: User) -> None:
    allow(alice)
    other, plain = tenant_with_token("Globex")
    served(other, "cat")
    theirs = _told(program_with(plain), "cat", "I prefer tea.")
    mine = _told(client, "ann", "I prefer coffee.")
    for name in ("cat", "alice", str(alice.pk), "nobody"):
        asked = [
            post(client, "/v3/memories/add/", {"messages": [{"role": "user", "content": "x"}], "user_id": name}),
            post(client, "/v3/memories/", {"filters": {"user_id": name}}),
            post(client, "/v3/memories/search/", {"query": "tea", "filters": {"OR": [{"user_id": name}]}}),
            client.delete(f"/v1/memories/?user_id={name}"),
        ]
        assert {answer.status_code for answer in asked} == {403}, name
        assert {answer.json()["code"] for answer in asked} == {"profile_consent_required"}
        assert client.delete(f"/v2/entities/user/{name}/").status_code == 404
    for key in (theirs, MISSING):
        address = f"/v1/memories/{key}/"
        tried = [client.get(address), client.put(address, {"text": "x"}), client.delete(address)]
        tried += [
            client.get(f"{address}history/"),
            post(client, "/v1/feedback/", {"memory_id": key, "feedback": "POSITIVE"}),
        ]
        tried += [client.put("/v1/batch/", {"memories": [{"memory_id": key, "text": "x"}]})]
        assert {answer.status_code for answer in tried} == {404}
        assert all(answer.json()["detail"] for answer in tried)
    assert program_with(plain).get(f"/v1/memories/{mine}/").status_code == 404
    assert [row["name"] for row in client.get("/v1/entities/").json()["results"]] == ["ben", "ann"]


def test_a_person_without_consent_a_revoked_token_and_no_name(
    client: APIClient, acme: tuple[ServiceToken, str]
) -> None:
    kept = _told(client, "ann", "I prefer coffee.")
    assert client.delete("/api/provisioning/users/ann/consent").status_code == 200
    assert client.get(f"/v1/memories/{kept}/").status_code in {403, 404}  # until the purge of a withdrawal took it
    assert post(client, "/v3/memories/", {"filters": {"user_id": "*"}}).json()["count"] == 0
    assert post(client, "/v3/memories/", {"filters": {}}).status_code == 400
    assert post(client, "/mem0/configure", {}).status_code == 403
    revoke_service_token(acme[0])
    assert client.get("/v1/ping/").status_code == 401
    assert client.get("/v1/ping/").json()["detail"]


def test_a_persons_own_key_acts_for_that_person(as_alice: APIClient, alice: User, bob: User) -> None:
    allow(alice)
    _told(as_alice, "alice", "I prefer coffee.")
    for name in ("me", "alice", str(alice.pk)):
        assert _listed(as_alice, {"user_id": name}) == {"I prefer coffee."}
    assert post(as_alice, "/v3/memories/", {"filters": {"user_id": "bob"}}).status_code == 404
    assert as_alice.delete("/v2/entities/user/bob/").status_code == 404
    assert as_alice.delete("/v2/entities/user/alice/").status_code == 200
    assert _listed(as_alice, {}) == set()
    assert User.objects.filter(pk=alice.pk, is_active=True).exists()


def test_filters_narrow_and_never_widen(client: APIClient) -> None:
    _told(client, "ann", "I prefer coffee.", metadata={"topic": "drinks"}, agent_id="barista")
    _told(client, "ann", "I own a dog.", metadata={"topic": "pets"})
    _told(client, "ben", "I prefer tea.")
    coffee, dog, tea = "I prefer coffee.", "I own a dog.", "I prefer tea."
    expected: list[tuple[dict[str, Any], set[str]]] = [
        ({"user_id": "ann"}, {coffee, dog}),
        ({"OR": [{"user_id": "ann"}, {"user_id": "ben"}]}, {coffee, dog, tea}),
        ({"user_id": "*"}, {coffee, dog, tea}),
        ({"AND": [{"user_id": "*"}, {"NOT": [{"user_id": "ann"}]}]}, {tea}),
        ({"AND": [{"user_id": "ann"}, {"metadata": {"topic": "pets"}}]}, {dog}),
        ({"AND": [{"user_id": "ann"}, {"agent_id": "*"}]}, {coffee}),
        ({"AND": [{"user_id": "ann"}, {"agent_id": "clerk"}]}, set()),
        ({"AND": [{"user_id": "ann"}, {"agent_id": {"ne": "*"}}]}, {dog}),
        ({"AND": [{"user_id": "ann"}, {"keywords": {"icontains": "DOG"}}]}, {dog}),
        ({"AND": [{"user_id": "ann"}, {"created_at": {"gte": "2020-01-01"}}]}, {coffee, dog}),
        ({"AND": [{"user_id": "ann"}, {"created_at": {"lt": "2020-01-01"}}]}, set()),
        ({"user_id": {"in": ["ann", "ben"]}, "memory": {"contains": "tea"}}, {tea}),
    ]
    for filters, memories in expected:
        assert _listed(client, filters) == memories, filters
    deep: dict[str, Any] = {"user_id": "ann"}
    for _ in range(12):
        deep = {"AND": [deep]}
    refused: list[dict[str, Any]] = [
        {"user_id": "ann", "mood": "x"},
        {"user_id": "ann", "memory": {"regex": "x"}},
        {"user_id": "ann", "metadata": 3},
        {"user_id": "ann", "metadata": {"age": {"gt": "old"}}},
        {"user_id": "ann", "agent_id": {"nin": "barista"}},
        {"user_id": "ann", "agent_id": {"ne": {"eq": "barista"}}},
        {"user_id": "ann", "agent_id": {}},
        {"user_id": "ann", "NOT": [{"agent_id": {"gt": "2026-01-01"}}]},
        {"user_id": "ann", "NOT": [{"created_at": {"gt": "garbage"}}]},
        {"user_id": "ann", "NOT": [{"created_at": {"lt": 3}}]},
        {"user_id": "ann", "NOT": [{"keywords": {"contains": 3}}]},
        {"user_id": "ann", "NOT": [{"user_id": {"contains": "nn"}}]},
        {"user_id": None},
        {"user_id": ["ann", {}]},
        {"user_id": "ann", "AND": [{}] * 300},
    ]
    for filters in (*refused, deep):
        answer = post(client, "/v3/memories/", {"filters": filters})
        assert (answer.status_code, list(answer.json()["details"])) == (400, ["filters"]), filters


def test_search_finds_of_the_named_alone(client: APIClient) -> None:
    _told(client, "ann", "I prefer coffee in the morning.")
    _told(client, "ben", "I prefer coffee at night.")
    found = post(client, "/v3/memories/search/", {"query": "coffee", "filters": {"user_id": "ann"}, "top_k": 5})
    rows = found.json()["results"]
    assert [(row["memory"], row["user_id"]) for row in rows] == [("I prefer coffee in the morning.", "ann")]
    assert rows[0]["score"] > 0


def test_a_search_for_anything_is_a_listing(client: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ann", "ben"):
        _told(client, name, f"I am {name} and prefer tea.")
    monkeypatch.delattr(views, "search")
    for filters, count in (({"user_id": "ann"}, 1), ({"user_id": "*"}, 2), ({"user_id": "*", "agent_id": "x"}, 0)):
        found = post(client, "/v3/memories/search/", {"query": "*", "filters": filters, "threshold": 0.5})
        assert (found.status_code, len(found.json()["results"])) == (200, count)
    few = post(client, "/v3/memories/search/", {"query": "*", "filters": {"user_id": "*"}, "top_k": 1})
    assert len(few.json()["results"]) == 1


def test_two_batches_take_the_same_memories_in_the_same_order(
    client: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = [_told(client, name, f"I am {name} and own {n} dogs.") for n in (2, 3) for name in ("ann", "ben")]
    taken: list[Any] = []
    monkeypatch.setattr(views.BatchView, "correct", lambda _, key, text: taken.append(str(key)))
    for batch in (keys, keys[::-1]):
        rows = [{"memory_id": key, "text": "I prefer tea."} for key in batch]
        assert client.put("/v1/batch/", {"memories": rows}).status_code == 200
    assert taken[:4] == taken[4:]
    assert [key in keys[::2] for key in taken[:4]] in ([True, True, False, False], [False, False, True, True])


def test_a_memory_keeps_its_id_through_its_versions_until_it_is_forgotten(
    client: APIClient, acme: tuple[ServiceToken, str]
) -> None:
    key = _told(client, "ann", "I prefer coffee.", metadata={"topic": "drinks"})
    address = f"/v1/memories/{key}/"
    assert client.get(address).json()["metadata"]["topic"] == "drinks"
    assert client.put(address, {"text": "I prefer tea."}).json()["id"] == key
    assert client.get(address).json()["memory"] == "I prefer tea."
    told = client.get(f"{address}history/").json()
    assert [(row["event"], row["old_memory"], row["new_memory"]) for row in told] == [
        ("ADD", None, "I prefer coffee."),
        ("UPDATE", "I prefer coffee.", "I prefer tea."),
    ]
    assert post(client, "/v1/feedback/", {"memory_id": key, "feedback": "POSITIVE"}).status_code == 200
    assert client.put("/v1/batch/", {"memories": [{"memory_id": key, "text": "I prefer water."}]}).status_code == 200
    gone = client.delete(address)
    assert (gone.status_code, gone.json()["message"]) == (200, "Memory deleted successfully!")
    assert client.get(address).status_code == 404
    drain()
    ann = User.objects.get(external_id="ann")
    with acting_as(ann.pk):
        assert [done.state for done in erasures_of(ann.pk)] == ["completed"]
        acts = AuditEvent.objects.filter(action="service.acted", actor_id=acme[0].pk)
        assert {act.details["view"] for act in acts} == {
            "mem0:add",
            "mem0:memory",
            "mem0:history",
            "mem0:feedback",
            "mem0:batch",
        }


def test_all_of_one_person_goes_and_nothing_of_another(client: APIClient) -> None:
    _told(client, "ann", "I prefer coffee.")
    kept = _told(client, "ben", "I prefer tea.")
    assert client.delete("/v1/memories/", query_params={"filters": str({"user_id": "ann"})}).status_code == 200
    assert _listed(client, {"user_id": "*"}) == {"I prefer tea."}
    assert client.delete("/v1/batch/", {"memories": [{"memory_id": kept}]}).status_code == 200
    assert _listed(client, {"user_id": "*"}) == set()
    assert client.delete("/v2/entities/user/ann/").status_code == 200
    drain()
    assert not User.objects.filter(external_id="ann").exists()


def test_what_is_done_to_a_whole_person_obeys_their_name_alone(client: APIClient) -> None:
    for name in ("ann", "ben"):
        _told(client, name, f"I am {name} and prefer tea.")
    everything = {"I am ann and prefer tea.", "I am ben and prefer tea."}
    narrower: list[Any] = [
        {"AND": [{"user_id": "ann"}, {"run_id": "r1"}]},
        {"user_id": "ann", "NOT": [{"user_id": "ben"}]},
        {"OR": [{"user_id": "ann"}]},
        {"user_id": {"ne": "ann"}},
        {"user_id": {"in": ["ann"]}},
        {"user_id": "*"},
        {"user_id": "ann", "AND": {"user_id": "ben"}},
        "[" * 1_500,
        "{{}: 1}",
        "{1: 2}",
        "[]",
    ]
    for filters in narrower:
        for address in ("/v1/memories/", "/mem0/memories"):
            answer = client.delete(address, query_params={"filters": str(filters)})
            assert answer.status_code == 400, filters
        if isinstance(filters, dict):
            assert post(client, "/v1/exports/", {"filters": filters}).status_code == 400, filters
    for address in ("/v1/memories/?user_id=*", "/v2/entities/user/ann/?filters={}", "/v1/entities/?filters={}"):
        assert client.delete(address).status_code in {400, 405}, address
    assert client.get("/v1/ping/?filters={}").status_code == 400
    assert _listed(client, {"user_id": "*"}) == everything
    explicit = {"user_id": "ann", "filters": str({"user_id": "*"})}
    assert client.delete("/v1/memories/", query_params=explicit).status_code == 200
    assert _listed(client, {"user_id": "*"}) == {"I am ben and prefer tea."}


def test_a_star_erases_nothing_of_ones_own(as_alice: APIClient, alice: User) -> None:
    allow(alice)
    _told(as_alice, "alice", "I prefer coffee.")
    for asked in ("/v1/memories/?user_id=*", '/v1/memories/?filters={"user_id":"*"}', "/v2/entities/user/*/"):
        assert as_alice.delete(asked).status_code == 400, asked
    assert _listed(as_alice, {}) == {"I prefer coffee."}


def test_pages_run_through_everybody_and_nothing_is_cut_unsaid(
    client: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "MOST_ROWS", 3)
    for name, count in (("ann", 2), ("ben", 3)):
        for number in range(count):
            _told(client, name, f"I am {name} and own {number + 2} dogs.")

    def page(number: int, filters: dict[str, Any]) -> Any:
        query = {"page": number, "page_size": 2}
        return client.post("/v3/memories/", {"filters": filters}, query_params=query).json()

    pages = [page(number, {"user_id": "*"}) for number in (1, 2, 3, 4)]
    assert [len(one["results"]) for one in pages] == [2, 2, 1, 0]
    assert {one["count"] for one in pages} == {5}
    seen = [row["memory"] for one in pages for row in one["results"]]
    assert seen == [f"I am ben and own {dogs} dogs." for dogs in (4, 3, 2)] + [
        f"I am ann and own {dogs} dogs." for dogs in (3, 2)
    ]
    assert page(1, {"AND": [{"user_id": "*"}, {"NOT": [{"user_id": "ben"}]}]})["count"] == 2
    assert page(2, {"user_id": "ben", "keywords": {"contains": "dogs"}})["count"] == 3
    refused = page(1, {"user_id": "*", "keywords": {"contains": "dogs"}})
    assert list(refused["details"]) == ["filters"]
    assert client.get("/mem0/memories?user_id=ben").status_code == 200
    _told(client, "ben", "I own a cat.")
    assert client.get("/mem0/memories?user_id=ben").status_code == 400


def test_a_batch_is_done_as_a_whole_or_not_at_all(client: APIClient) -> None:
    first, second = _told(client, "ann", "I prefer coffee."), _told(client, "ben", "I prefer tea.")
    third = _told(client, "ann", "I own a dog.")
    with_a_stranger = [{"memory_id": key, "text": "I prefer water."} for key in (first, second, MISSING)]
    assert client.put("/v1/batch/", {"memories": with_a_stranger}).status_code == 404
    assert (
        client.delete("/v1/batch/", {"memories": [{"memory_id": key} for key in (first, MISSING)]}).status_code == 404
    )
    assert _listed(client, {"user_id": "*"}) == {"I prefer coffee.", "I prefer tea.", "I own a dog."}
    assert client.put("/v1/batch/", {"memories": with_a_stranger[:2]}).status_code == 200
    assert _listed(client, {"user_id": "*"}) == {"I prefer water.", "I own a dog."}
    gone = client.delete("/v1/batch/", {"memories": [{"memory_id": key} for key in (first, second, first, third)]})
    assert (gone.status_code, len(gone.json()["erasures"])) == (200, 3)
    assert _listed(client, {"user_id": "*"}) == set()


def test_what_is_learned_is_queued_and_its_event_says_what_came_of_it(client: APIClient) -> None:
    said = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "I am allergic to peanuts."}]
    queued = post(
        client, "/v3/memories/add/", {"messages": said, "filters": {"user_id": "ann"}, "timestamp": 1_770_000_000}
    )
    assert (queued.status_code, queued.json()["status"]) == (202, "PENDING")
    drain()
    state = client.get(f"/v1/event/{queued.json()['event_id']}/?user_id=ann").json()
    assert state["status"] == "SUCCEEDED"
    assert post(client, "/v3/memories/add/", {"messages": said, "user_id": "ann", "immutable": True}).status_code == 400


def test_pages_exports_and_the_servers_own_addresses(client: APIClient) -> None:
    ping = client.get("/v1/ping/").json()
    assert (ping["status"], bool(ping["org_id"]), bool(ping["project_id"])) == ("ok", True, True)
    first, second = (_told(client, "ann", f"I own {count} dogs.") for count in (2, 3))
    page = client.post(
        "/v3/memories/", {"filters": {"user_id": "ann"}}, query_params={"page": 1, "page_size": 1}
    ).json()
    assert (page["count"], len(page["results"]), page["previous"]) == (2, 1, None)
    assert page["next"].endswith("?page=2&page_size=1")
    export = post(client, "/v1/exports/", {"schema": "{}", "filters": {"user_id": "ann"}}).json()
    drain()
    built = post(client, "/v1/exports/get/", {"memory_export_id": export["id"], "user_id": "ann"}).json()
    assert (built["state"], bool(built["download_url"])) == ("ready", True)
    server = client.get("/mem0/memories?user_id=ann").json()["results"]
    assert {row["id"] for row in server} == {first, second}
    assert client.get(f"/mem0/memories/{first}").json()["memory"] == "I own 2 dogs."
    assert post(client, "/mem0/search", {"query": "dogs", "filters": {"user_id": "ann"}}).status_code == 200
    assert client.delete("/mem0/memories?user_id=ann").status_code == 200
    assert post(client, "/mem0/reset", {}).status_code == 403
