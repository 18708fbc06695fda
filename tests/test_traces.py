"""What a trace tells, through the product's own doors: names and numbers of seed A §5.2, §6.6, §9.3 and §11.4, and
never a word or an id of anybody's.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
import structlog
import time_machine
from django.utils import timezone
from prometheus_client import REGISTRY

from consent import retention
from consent.models import ErasureScope, Sources
from consent.services import withdraw_consent
from finclaw.brain.context_slices import SLICES
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from foundation.telemetry import memory_operations
from memory.research.profile_context import FIELDS, clear_profile_fields, save_profile_context, slices_of
from tests.brain.research.support import NVDA
from tests.brain.research.support import run as run_research
from tests.brain.research.told import follow, state_for
from tests.drift.support import log_of, rate
from tests.support.api import signed_in
from tests.support.cast import A_MONDAY, allow
from tests.support.research import snapshot_made
from tests.support.talk import open_session, say
from tests.support.tracing import Traced

NEEDLE = "Quetzalcoatl-祖母的钢琴"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def _counted(op: str, scope: str) -> float:
    return REGISTRY.get_sample_value("memory_op_total", {"op": op, "scope": scope}) or 0.0


def _memory_lines(logs: list[structlog.types.EventDict]) -> list[structlog.types.EventDict]:
    return [one for one in logs if one["event"] in ("memory_write", "memory_delete")]


@pytest.mark.parametrize("streaming", [False, True])
def test_a_turn_is_one_trace_below_the_callers_without_a_word_of_it(
    alice: User, traced: Traced, caplog: pytest.LogCaptureFixture, streaming: bool
) -> None:
    consent_id = str(allow(alice).consent_id)
    path = f"/api/sessions/{open_session(alice).pk}/messages"
    client = signed_in(alice)
    traced.forget()

    response: Any = client.post(
        f"{path}?stream={str(streaming).lower()}",
        {"content": f"I like {NEEDLE}."},
        headers={"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"},
    )
    assert b"message_id" in (b"".join(response.streaming_content) if streaming else response.content)
    drain()

    above = {one.name: traced.parent_of(one) for one in traced}
    request = "POST api/sessions/<uuid:session_id>/messages"
    assert above[request] == ""
    assert above["turn"] == request
    assert above["model"] == "turn"
    assert above["recall"] == (request if streaming else "turn")
    (model,) = traced.named("model")
    assert set(model.attributes or {}) == {
        "gen_ai.request.model", "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens",
        "gen_ai.usage.cache_read.input_tokens",
    }  # fmt: skip
    of_request = [one for one in traced if one.context and f"{one.context.trace_id:032x}" == TRACE]
    assert {"turn", "model", "memory_write"} <= {one.name for one in of_request}
    assert traced.told("job memory.observe") == {"topic": "memory.observe", "attempt": 1, "outcome": "done"}
    writes = [one.attributes or {} for one in traced.named("memory_write")]
    assert {one["scope"] for one in writes} >= {"turn", "item"}
    assert {one["consent_id_ref"] for one in writes} == {consent_id}
    for secret in ("Quetzalcoatl", "钢琴", str(alice.pk), alice.pk.hex, alice.username):
        assert secret not in traced.everything()
    assert "Quetzalcoatl" not in caplog.text
    assert "钢琴" not in caplog.text


def test_6_6_a_task_builds_its_context_in_a_span_of_exactly_four_attributes(alice: User, traced: Traced) -> None:
    allow(alice)
    task = run_research(alice, NVDA)

    told = traced.told("context_built")
    assert {name: list(value) if isinstance(value, tuple) else value for name, value in told.items()} == {
        name: task.context[name] for name in told
    }
    assert set(told) == {
        "slices_loaded", "slices_skipped_missing", "slices_blocked_by_consent", "total_memory_tokens_estimated",
    }  # fmt: skip
    (built,) = traced.named("context_built")
    assert traced.parent_of(built) == "job research.run"


def test_5_2_a_grant_has_its_span_with_the_consent_it_made(alice: User, traced: Traced) -> None:
    permit = allow(alice)

    told = {"consent_id_ref": str(permit.consent_id), "consent_version": 1, "source": "api"}
    assert traced.told("profile_consent_grant") == told


def test_9_3_drift_has_a_span_with_its_id_and_kind(alice: User, traced: Traced) -> None:
    allow(alice)
    ref = f"snapshot:{snapshot_made(alice).pk}"
    rate(alice, ref, "helpful", at=A_MONDAY)
    rate(alice, ref, "not_helpful", at=A_MONDAY + timedelta(days=12))

    (signal,) = log_of(alice)
    told = {"drift_id": signal.drift_id, "signal_kind": "grade_reversal"}
    assert traced.told("persona_drift_detected") == told
    (written,) = [one for one in traced.named("memory_write") if (one.attributes or {})["scope"] == "drift"]
    assert traced.parent_of(written) == "persona_drift_detected"
    assert (written.attributes or {})["slice_id"] == ("S9",)


def test_11_4_what_is_stated_and_taken_back_is_told_three_ways(alice: User, traced: Traced) -> None:
    permit = allow(alice)
    before = _counted("write", "profile"), _counted("delete", "profile")
    anew = patch.object(memory_operations, "log", structlog.get_logger())  # logging may have been configured since
    with anew, structlog.testing.capture_logs() as logs, acting_as(alice.pk):
        save_profile_context(permit, {"research_depth": "deep", "user_focus_reason": NEEDLE})
        clear_profile_fields(permit, ["user_focus_reason"])

    about = {"scope": "profile", "rows": 1, "consent_id_ref": str(permit.consent_id)}
    wrote = about | {"op": "write", "slice_id": ["S2", "S4"]}
    deleted = about | {"op": "delete", "slice_id": ["S4"]}
    line = {"component": "agent.context_engine", "log_level": "info"}
    assert _memory_lines(logs) == [
        wrote | line | {"event": "memory_write"},
        deleted | line | {"event": "memory_delete"},
    ]
    assert traced.told("memory_write") == wrote | {"slice_id": ("S2", "S4")}
    assert traced.told("memory_delete") == deleted | {"slice_id": ("S4",)}
    assert (_counted("write", "profile"), _counted("delete", "profile")) == (before[0] + 1, before[1] + 1)


def test_11_4_what_a_withdrawal_takes_is_told_at_once_and_when_it_is_purged(alice: User, traced: Traced) -> None:
    permit = allow(alice)
    say(alice, open_session(alice), "I follow BTC.")
    state_for(alice, follow(alice), research_style="Bottom up")
    with acting_as(alice.pk):
        save_profile_context(permit, {"research_depth": "deep"})
        assert permit.consent_id is not None
        withdraw_consent(alice, permit.consent_id, source="api")
    at_once = {((told := one.attributes or {})["op"], told["scope"]) for one in traced.named("memory_delete")}
    drain()

    gone = [one.attributes or {} for one in traced.named("memory_delete")]
    assert at_once == {("delete", "profile"), ("block", "thread")}
    assert {one["scope"] for one in gone} == {"profile", "thread", "item"}
    assert {one["consent_id_ref"] for one in gone} == {str(permit.consent_id)}


def test_11_4_what_is_too_old_is_told_too(alice: User, traced: Traced) -> None:
    permit = allow(alice)
    run_research(alice, NVDA)
    before = _counted("delete", "task")
    with time_machine.travel(timezone.now() + timedelta(hours=25), tick=False):
        retention.delete_outdated_rows()

    assert _counted("delete", "task") == before + 1
    (gone,) = [one.attributes or {} for one in traced.named("memory_delete")]
    assert (gone["scope"], gone["consent_id_ref"]) == ("task", str(permit.consent_id))


def test_11_4_what_is_forgotten_is_told_too(alice: User, traced: Traced) -> None:
    permit = allow(alice)
    say(alice, open_session(alice), "I follow BTC.")
    with acting_as(alice.pk):
        forget(alice, ErasureScope.MEMORIES, "", Sources.REDACT, source="web")
    drain()

    (gone,) = [one.attributes or {} for one in traced.named("memory_delete")]
    assert (gone["op"], gone["scope"], gone["rows"]) == ("delete", "item", 1)
    assert gone["consent_id_ref"] == str(permit.consent_id)


def test_every_field_of_a_context_is_told_by_the_slice_that_the_routes_read_it_as() -> None:
    of_routes = {field: slice_ for slice_, one in SLICES.items() for field in one.fields}

    assert {name: slices_of([name]) for name in FIELDS} == {name: [of_routes[name]] for name in FIELDS}
