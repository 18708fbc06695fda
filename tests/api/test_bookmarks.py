"""Bookmarks over the API: of what one's organisation knows, one's own alone, written once."""

from __future__ import annotations

import pytest
from rest_framework.test import APIClient

from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from knowledge.models import Bookmark, KnowledgeEntry
from tests.api.test_route_policy import METHODS
from tests.support.api import MISSING, code_of, post, send
from tests.support.cast import allow
from tests.support.organisation import employ, know
from tests.support.service import program_with, served, tenant_with_token

BOOKMARKS = "/api/bookmarks"


@pytest.fixture
def entry(alice: User, bob: User) -> KnowledgeEntry:
    """What Alice and Bob may read; both decided on consent."""
    tenant = Tenant.objects.create(name="Krugerrand Ltd")
    employ(tenant, alice, bob)
    allow(alice)
    allow(bob)
    return know(tenant, "We open at nine.", subject="the shop", kind="rule", source="handbook")


def _count(user: User) -> int:
    with acting_as(user.pk):
        return Bookmark.objects.count()


def test_nobody_reaches_anothers(
    alice: User, charlie: User, as_alice: APIClient, as_bob: APIClient, as_charlie: APIClient, entry: KnowledgeEntry
) -> None:
    allow(charlie)
    path = post(as_alice, BOOKMARKS, {"knowledge_id": entry.pk})["Location"]
    assert code_of(post(as_charlie, BOOKMARKS, {"knowledge_id": entry.pk})) == "not_found"
    for outsider in (as_bob, as_charlie):
        assert outsider.get(BOOKMARKS).json()["results"] == []
        assert {outsider.get(path).status_code, outsider.delete(path).status_code} == {404}
    assert _count(alice) == 1


@pytest.mark.parametrize("method", [method for method in METHODS if method not in {"GET", "POST"}])
def test_other_methods_are_refused(as_alice: APIClient, method: str) -> None:
    answer = send(as_alice, method, BOOKMARKS, b"")
    assert (answer.status_code, code_of(answer)) == (405, "method_not_allowed")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "knowledge_id"),
        ({"knowledge_id": None}, "knowledge_id"),
        ({"knowledge_id": "the shop"}, "knowledge_id"),
        ({"knowledge_id": [MISSING]}, "knowledge_id"),
        ({"knowledge_id": MISSING, "text": "We open at nine."}, "text"),
    ],
)
def test_a_malformed_bookmark_names_its_field(
    alice: User, as_alice: APIClient, entry: KnowledgeEntry, body: dict[str, object], field: str
) -> None:
    answer = post(as_alice, BOOKMARKS, body)
    assert (code_of(answer), list(answer.json()["details"])) == ("validation_error", [field])
    assert _count(alice) == 0


def test_an_entry_that_is_not_there_is_not_found(as_alice: APIClient, entry: KnowledgeEntry) -> None:
    assert post(as_alice, BOOKMARKS, {"knowledge_id": MISSING}).status_code == 404
    assert as_alice.get(f"{BOOKMARKS}/{MISSING}").status_code == 404
    assert as_alice.delete(f"{BOOKMARKS}/{MISSING}").status_code == 404


def test_before_any_decision_on_consent_it_is_refused(alice: User, as_alice: APIClient) -> None:
    answer = post(as_alice, BOOKMARKS, {"knowledge_id": MISSING})
    assert (answer.status_code, code_of(answer)) == (403, "profile_consent_required")


def test_it_is_added_found_where_it_says_listed_and_removed(
    alice: User, as_alice: APIClient, entry: KnowledgeEntry
) -> None:
    added = post(as_alice, BOOKMARKS, {"knowledge_id": entry.pk})
    told = added.json()
    assert (added.status_code, told["knowledge_id"], told["state"]) == (201, str(entry.pk), "in_force")
    shown = {name: told["entry"][name] for name in ("kind", "subject", "text", "source", "version")}
    assert shown == {
        "kind": "rule", "subject": "the shop", "text": "We open at nine.", "source": "handbook", "version": 1
    }  # fmt: skip
    assert as_alice.get(added["Location"]).json() == told
    assert as_alice.get(BOOKMARKS).json()["results"] == [told]

    assert as_alice.delete(added["Location"]).status_code == 204
    assert as_alice.get(added["Location"]).status_code == 404
    assert as_alice.get(BOOKMARKS).json()["results"] == []


def test_the_same_key_and_the_same_entry_make_one(alice: User, as_alice: APIClient, entry: KnowledgeEntry) -> None:
    body = {"knowledge_id": str(entry.pk)}
    first, again = (post(as_alice, BOOKMARKS, body, key="k") for _ in range(2))
    assert (first.status_code, first.json()) == (again.status_code, again.json())
    assert post(as_alice, BOOKMARKS, body).json() == first.json()
    assert _count(alice) == 1
    other = post(as_alice, BOOKMARKS, {"knowledge_id": MISSING}, key="k")
    assert (other.status_code, code_of(other)) == (409, "idempotency_conflict")


def test_one_whose_entry_is_gone_says_so(alice: User, as_alice: APIClient, entry: KnowledgeEntry) -> None:
    path = post(as_alice, BOOKMARKS, {"knowledge_id": entry.pk})["Location"]
    with in_role(OPERATOR_ROLE):
        KnowledgeEntry.objects.all().delete()
    told = as_alice.get(path).json()
    assert (told["knowledge_id"], told["state"], told["entry"]) == (str(entry.pk), "gone", None)
    assert as_alice.get(BOOKMARKS).json()["results"] == [told]
    assert as_alice.delete(path).status_code == 204


def test_they_are_listed_page_by_page_the_latest_first(as_alice: APIClient, entry: KnowledgeEntry) -> None:
    entries = [entry, *(know(entry.tenant, f"Rule {number}.") for number in range(2))]
    added = [post(as_alice, BOOKMARKS, {"knowledge_id": one.pk}).json()["bookmark_id"] for one in entries]
    first = as_alice.get(f"{BOOKMARKS}?page_size=2").json()
    second = as_alice.get(first["next"]).json()
    listed = [row["bookmark_id"] for page in (first, second) for row in page["results"]]
    assert (listed, second["next"]) == (added[::-1], None)


def test_an_organisations_program_bookmarks_for_the_people_it_serves(db: None) -> None:
    token, plain = tenant_with_token("Acme")
    served(token, "ann")
    served(token, "ben")
    assert token.tenant is not None
    entry = know(token.tenant, "We open at nine.")
    added = post(program_with(plain, "ann"), BOOKMARKS, {"knowledge_id": entry.pk})
    assert (added.status_code, added.json()["state"]) == (201, "in_force")
    assert program_with(plain, "ben").get(BOOKMARKS).json()["results"] == []
