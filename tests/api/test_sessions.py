"""Conversations: opening, listing, renaming, archiving, and who reaches them (M-10)."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from rest_framework.test import APIClient

from finclaw.api.pagination import CursorPagination
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.models import Session
from memory.services.summaries import summarize_later
from tests.support.api import MISSING, code_of, post
from tests.support.cast import allow, allow_nothing, group_with
from tests.support.research import thread_kept
from tests.support.talk import open_session, permit_of, say


def _session(client: APIClient, **body: object) -> str:
    answer = post(client, "/api/sessions", body)
    assert answer.status_code == 201
    return str(answer.json()["session_id"])


def test_an_outsider_finds_nothing_of_a_session(alice: User, as_alice: APIClient, as_charlie: APIClient) -> None:
    allow_nothing(alice)
    path = f"/api/sessions/{_session(as_alice)}"
    answers = [
        as_charlie.get(path),
        as_charlie.patch(path, {"title": "Mine now"}),
        post(as_charlie, f"{path}/archive"),
        as_charlie.get(f"{path}/messages"),
        post(as_charlie, f"{path}/end", {"request_id": "r"}),
    ]
    assert [answer.status_code for answer in answers] == [404] * 5
    assert as_charlie.get("/api/sessions").json()["results"] == []


def test_members_share_a_groups_sessions_and_outsiders_open_none(
    alice: User, bob: User, charlie: User, as_alice: APIClient, as_bob: APIClient, as_charlie: APIClient
) -> None:
    for person in (alice, bob, charlie):
        allow_nothing(person)
    group = group_with(alice, [bob])
    session = _session(as_alice, group_id=str(group.pk))
    assert as_bob.get(f"/api/sessions/{session}").json()["group_id"] == str(group.pk)
    assert as_charlie.get(f"/api/sessions/{session}").status_code == 404
    assert post(as_charlie, "/api/sessions", {"group_id": str(group.pk)}).status_code == 404


@pytest.mark.parametrize(
    "body",
    [
        {"group_id": "desk"},
        {"remember": "sometimes"},
        {"rememeber": False},
        {"time_zone": "Mars/Base"},
        {"location": "x" * 121},
        {"title": "x" * 121},
        {"persona_mode": "pirate"},
    ],
)
def test_a_malformed_session_names_its_field(alice: User, as_alice: APIClient, body: dict[str, object]) -> None:
    allow_nothing(alice)
    answer = post(as_alice, "/api/sessions", body)
    assert (code_of(answer), list(answer.json()["details"])) == ("validation_error", list(body))


def test_a_session_may_be_about_a_thread_of_ones_own(
    alice: User, bob: User, as_alice: APIClient, as_bob: APIClient
) -> None:
    for person in (alice, bob):
        allow_nothing(person)
    thread = str(thread_kept(alice).pk)
    assert post(as_alice, "/api/sessions", {"thread_id": thread}).json()["thread_id"] == thread
    for client, thread_id in ((as_alice, MISSING), (as_bob, thread)):
        assert post(client, "/api/sessions", {"thread_id": thread_id}).status_code == 404


def test_before_any_decision_on_consent_no_session_opens(as_alice: APIClient) -> None:
    answer = post(as_alice, "/api/sessions", {})
    assert (answer.status_code, code_of(answer)) == (403, "profile_consent_required")


def test_a_temporary_session_goes_sooner(alice: User, as_alice: APIClient) -> None:
    allow_nothing(alice)
    made = post(as_alice, "/api/sessions", {"remember": False, "time_zone": "Asia/Tokyo"}).json()
    lasts = parse_datetime(made["expires_at"]) - timezone.now()  # type: ignore[operator]
    assert (made["remember"], made["time_zone"], made["entity_slots"]) == (False, "Asia/Tokyo", {})
    assert lasts.total_seconds() <= settings.TEMPORARY_SESSION_TTL_HOURS * 3600


def test_a_session_is_renamed_and_archived_which_twice_changes_nothing(alice: User, as_alice: APIClient) -> None:
    allow_nothing(alice)
    path = f"/api/sessions/{_session(as_alice)}"
    assert as_alice.patch(path, {"title": "半导体"}).json()["title"] == "半导体"
    archived = post(as_alice, f"{path}/archive").json()["archived_at"]
    assert archived is not None
    assert post(as_alice, f"{path}/archive").json()["archived_at"] == archived
    answer = post(as_alice, f"{path}/messages", {"content": "Hello"})
    assert (answer.status_code, code_of(answer)) == (409, "session_archived")


def test_the_list_is_paged_by_cursor_without_losing_or_doubling(alice: User, as_alice: APIClient) -> None:
    allow_nothing(alice)
    made = [_session(as_alice, title=str(number)) for number in range(5)]
    seen: list[str] = []
    url: str | None = "/api/sessions?page_size=2"
    while url:
        page = as_alice.get(url).json()
        assert set(page) == {"results", "next", "previous"}
        seen += [row["session_id"] for row in page["results"]]
        url = page["next"]
    assert seen == made[::-1]


@pytest.mark.parametrize("query", ["page_size=0", "page_size=-1", "page_size=many", "page_size=²", "limit=5"])
def test_a_page_that_cannot_be_is_refused(as_alice: APIClient, query: str) -> None:
    assert code_of(as_alice.get(f"/api/sessions?{query}")) == "validation_error"


def test_a_page_is_never_larger_than_its_limit(alice: User, as_alice: APIClient) -> None:
    allow_nothing(alice)
    with acting_as(alice.pk):
        Session.objects.bulk_create(
            Session(user=alice, expires_at=timezone.now()) for _ in range(CursorPagination.max_page_size + 1)
        )
    assert len(as_alice.get("/api/sessions?page_size=999999").json()["results"]) == CursorPagination.max_page_size


@pytest.mark.parametrize("cursor", ["nonsense", "cD1ub25zZW5zZQ==", "bz0tNQ==", "cD0lMDA="])
def test_a_made_up_cursor_is_refused(alice: User, as_alice: APIClient, cursor: str) -> None:
    allow_nothing(alice)
    _session(as_alice)
    assert as_alice.get(f"/api/sessions?cursor={cursor}").status_code == 404


def test_a_session_shows_its_summaries_with_their_ranges(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, "I follow copper.", "我关注铜价。")
    with acting_as(alice.pk):
        summarize_later(permit_of(alice), session, 2, 2)
    drain()
    [block] = as_alice.get(f"/api/sessions/{session.pk}").json()["summary_blocks"]
    assert set(block) == {"from_seq", "to_seq", "text", "made_by", "created_at"}
    assert (block["from_seq"], block["to_seq"], block["made_by"]) == (1, 2, "extractive")
    assert block["text"] == "Alice: “I follow copper.”\nAlice: “我关注铜价。”"


def test_archiving_makes_one_event_of_what_was_said(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, "I follow copper.")
    for _ in range(2):
        assert post(as_alice, f"/api/sessions/{session.pk}/archive").status_code == 200
    drain()
    [event] = as_alice.get("/api/events").json()["results"]
    assert "Alice follows copper." in event["canonical_text"]


def test_an_archived_conversation_is_opened_again_by_who_may_speak_in_it(
    alice: User, charlie: User, as_alice: APIClient, as_charlie: APIClient
) -> None:
    allow(alice)
    allow(charlie)
    session = post(as_alice, "/api/sessions", {"title": "BTC"}).json()["session_id"]
    assert post(as_charlie, f"/api/sessions/{session}/reopen").status_code == 404
    post(as_alice, f"/api/sessions/{session}/archive")
    assert post(as_alice, f"/api/sessions/{session}/reopen").json()["archived_at"] is None
    assert post(as_alice, f"/api/sessions/{session}/reopen").json()["archived_at"] is None
    assert as_alice.get(f"/api/sessions/{session}").json()["archived_at"] is None
