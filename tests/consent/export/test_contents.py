"""An archive holds everything about its person, as the declarations say, and nothing of anybody else's."""

from __future__ import annotations

import hashlib
import json
from datetime import timedelta
from uuid import UUID

import pytest
import yaml
from django.utils import timezone

from consent.declarations import personal_models
from consent.export.exported_tables import exported_tables
from consent.export.row_formats import as_json, as_markdown
from drift.models import DriftSignal
from drift.services import give_feedback
from finclaw.brain.turn import reply
from finclaw.brain.types import TurnRequest
from foundation.accounts.models import ApiToken, User
from foundation.accounts.services import issue_token
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import ERASER_ROLE
from foundation.ids import new_id
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from memory.historian.services import end
from memory.models import MemoryItem, UserContext
from memory.research.contexts import add_thread_context
from memory.research.profile_context import save_profile_context
from memory.services.item_queries import items_of
from memory.types import EndInput
from tests.consent.export.support import everything, exported, manifest_of, rows_of, text_of
from tests.support.cast import allow, group_with
from tests.support.research import snapshot_made, thread_kept
from tests.support.talk import memories, open_session, permit_of, say


def _live(user: User) -> None:
    """Something in every table that a person fills by talking."""
    permit = allow(user)
    session = open_session(user, title="茶")
    say(user, session, "I follow BTC.", "我喜欢简约的。")
    with acting_as(user.pk):
        save_profile_context(permit, {"research_depth": "deep"})
        save_profile_context(permit_of(user), {"research_depth": "quick"})
        end(permit, user, session, EndInput("r1", action_summary="asked about funds", force=True))
    issue_token(user, "laptop")


def test_every_declared_table_is_there_with_every_row_of_its_person(alice: User) -> None:
    _live(alice)

    archive = exported(alice)

    counts = {file.path: file.rows for file in manifest_of(archive, alice).files}
    with acting_as(alice.pk):
        for table in exported_tables():
            stands = [
                path
                for path in counts
                if path == table.path or (table.has_file_per_row and path.startswith(table.folder))
            ]
            assert sum(counts[path] for path in stands) == table.count(alice.pk), table.path
    declared = {one.label for one in personal_models() if one.declaration.export}
    assert {table.model._meta.label for table in exported_tables()} == declared
    assert counts["memory_items/items.jsonl"] == len(memories(alice)) > 0
    assert counts["sessions/messages.jsonl"] == 2
    assert counts["events/ends.jsonl"] == 1
    assert counts["user_contexts/_profile_history.jsonl"] == 2


def test_rows_keep_their_words_numbers_and_times(alice: User) -> None:
    _live(alice)
    item = memories(alice)[0]

    archive = exported(alice)

    row = next(one for one in rows_of(archive, alice, "memory_items/items.jsonl") if one["id"] == str(item.pk))
    assert row["content"] == item.content
    assert row["confidence"] == item.confidence
    assert row["created_at"] == item.created_at.isoformat()
    assert row["source_sessions"] == [str(one) for one in item.source_sessions]
    assert "我喜欢简约的。" in text_of(archive, alice, "sessions/messages.jsonl").decode()


def test_an_event_tells_of_which_end_it_was_made(alice: User) -> None:
    _live(alice)
    drain()

    archive = exported(alice)

    [event] = rows_of(archive, alice, "events/events.jsonl")
    assert (event["event_id"], event["request_id"], event["end_seq"]) == ("r1:1", "r1", 1)


def test_a_context_is_a_file_of_its_own_and_every_version_stands_beside_it(alice: User) -> None:
    _live(alice)
    with acting_as(alice.pk):
        context = UserContext.objects.get()

    archive = exported(alice)

    whole = json.loads(text_of(archive, alice, f"user_contexts/_profile/{context.pk}.json"))
    assert whole["research_depth"] == "quick"
    depths = [row["research_depth"] for row in rows_of(archive, alice, "user_contexts/_profile_history.jsonl")]
    assert depths == ["deep", "quick"]
    assert [row["version"] for row in rows_of(archive, alice, "consents/consents_history.json")] == [1]


def test_a_threads_context_stands_in_the_folder_of_its_thread(alice: User) -> None:
    allow(alice)
    thread = thread_kept(alice, snapshot_made(alice))
    with acting_as(alice.pk):
        context = add_thread_context(permit_of(alice), thread, {"user_focus_reason": "Fees"})
    assert context is not None

    archive = exported(alice)

    path = f"user_contexts/_thread/{thread.pk}/{context.pk}.json"
    assert json.loads(text_of(archive, alice, path))["user_focus_reason"] == "Fees"


def test_a_drift_signal_stands_under_its_drift_id(alice: User) -> None:
    allow(alice)
    snapshot = snapshot_made(alice)
    for rating in ("thumbs_up", "not_helpful"):
        with acting_as(alice.pk):
            give_feedback(permit_of(alice), alice, f"snapshot:{snapshot.pk}", rating)
    with acting_as(alice.pk):
        signal = DriftSignal.objects.get()

    archive = exported(alice)

    whole = json.loads(text_of(archive, alice, f"persona_drift/{signal.drift_id}.json"))
    assert whole["id"] == str(signal.pk)


def test_no_file_repeats_whose_it_is(alice: User) -> None:
    _live(alice)
    thread_kept(alice, snapshot_made(alice))

    archive = exported(alice)

    for file in manifest_of(archive, alice).files:
        assert "user_id" not in text_of(archive, alice, file.path).decode(), file.path


def test_the_manifest_comes_last_and_tells_the_truth(alice: User) -> None:
    _live(alice)

    archive = exported(alice)

    manifest = manifest_of(archive, alice)
    assert (manifest.schema_version, manifest.user_id, manifest.consent_version) == (2, alice.pk, 1)
    for file in manifest.files:
        text = text_of(archive, alice, file.path)
        assert (hashlib.sha256(text).hexdigest(), len(text)) == (file.sha256, file.bytes)


def test_somebody_who_never_said_anything_gets_an_archive_too(alice: User) -> None:
    archive = exported(alice)

    assert manifest_of(archive, alice).consent_version == 0
    assert rows_of(archive, alice, "memory_items/items.jsonl") == []
    assert rows_of(archive, alice, "sessions/sessions.json") == []
    assert [row["username"] for row in rows_of(archive, alice, "account.json")] == ["alice"]


def test_no_credential_hash_or_key_is_in_it(alice: User) -> None:
    _live(alice)

    said = everything(exported(alice))

    token = ApiToken.objects.get(user=alice)
    with acting_as(alice.pk):
        hashes = [item.content_hash for item in MemoryItem.objects.all()]
    for secret in (alice.password, token.digest, token.token_key, *hashes):
        assert secret.encode() not in said
    assert bytes(alice.content_key).hex().encode() not in said
    assert b"laptop" in said


def test_what_others_said_in_ones_group_is_not_in_it(alice: User, bob: User) -> None:
    group = group_with(alice, [bob])
    allow(alice)
    allow(bob)
    session = open_session(alice, group_id=group.pk, title="needle-of-a-title")
    say(alice, session, "I live in Paris.")
    say(bob, session, "I live in Berlin.")
    with acting_as(bob.pk):
        end(permit_of(bob), bob, session, EndInput("r1", action_summary="moved to Berlin", force=True))
    with acting_as(alice.pk):
        session.entity_slots = {"place": ["Berlin"]}
        session.save(update_fields=["entity_slots"])

    said = everything(exported(alice))

    assert b"Paris" in said
    assert b"Berlin" not in said
    assert b"needle-of-a-title" not in said
    assert str(bob.pk).encode() not in said


def test_receipts_show_what_the_person_may_see(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, "I follow BTC.")
    reply(alice, TurnRequest(session.pk, ({"type": "text", "text": "What do I follow?"},)))

    archive = exported(alice)

    receipts = rows_of(archive, alice, "receipts/receipts.jsonl")
    assert {row["kind"] for row in receipts} == {"retrieval", "injection"}
    assert receipts[0].keys() >= {"degraded", "budget", "message_id"}
    line = rows_of(archive, alice, "receipts/candidates.jsonl")[0]
    assert line.keys() == {
        "id", "receipt_id", "kind", "ref_id", "rank", "status", "decision_reason", "context_position",
        "utilized", "user_feedback_signal",
    }  # fmt: skip


def test_a_row_that_an_erasure_named_is_not_in_it(alice: User) -> None:
    _live(alice)
    item = memories(alice)[0]
    with acting_as(alice.pk), in_role(ERASER_ROLE):
        MemoryItem.with_erased.filter(pk=item.pk).update(tombstone_id=new_id())

    archive = exported(alice)

    assert str(item.pk) not in {row["id"] for row in rows_of(archive, alice, "memory_items/items.jsonl")}


def test_a_withdrawn_scope_takes_nothing_that_is_still_kept_out_of_it(alice: User) -> None:
    _live(alice)
    allow(alice, ConsentScope.SAVE_TO_PROFILE)

    archive = exported(alice)

    with acting_as(alice.pk):
        assert not items_of(permit_of(alice)).exists()
        kept = MemoryItem.objects.count()
    assert len(rows_of(archive, alice, "memory_items/items.jsonl")) == kept


def test_markdown_holds_the_body_under_its_front_matter() -> None:
    key = UUID("01900000-0000-7000-8000-000000000001")
    written = as_markdown(
        {"id": key, "name": '王小明: "A"', "since": timezone.now(), "body": "# 王\n\n---\nLikes tea."}
    )

    _, head, body = written.decode().split("---\n", 2)
    front_matter = yaml.safe_load(head)
    assert (front_matter["id"], front_matter["name"]) == (str(key), '王小明: "A"')
    assert body == "\n# 王\n\n---\nLikes tea.\n"


def test_an_interval_is_written_in_seconds_and_an_unknown_value_is_refused() -> None:
    assert as_json({"took": timedelta(minutes=2)}) == b'{"took":120.0}'
    with pytest.raises(TypeError, match="bytes cannot be exported"):
        as_json({"key": b"secret"})
