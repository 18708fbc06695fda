"""What calls of models come to, by organisation, day, purpose and model."""

from __future__ import annotations

import threading
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import DatabaseError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings
from structlog.testing import capture_logs

from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE, WORKER_ROLE
from foundation.llm import Message, ModelUnavailable, Prompt, configured_model
from foundation.model_usage import usage_buffer as buffer_module
from foundation.model_usage.durations import BOUNDS, bucket_of, percentile_of
from foundation.model_usage.models import ModelUsage
from foundation.model_usage.retention import delete_outdated
from foundation.model_usage.usage_buffer import MeteredCall, UsageBuffer, usage_buffer
from foundation.sanitization.types import SafeText
from tests.support.model_server import ModelServer, Refuses
from tests.support.organisation import employ

pytestmark = pytest.mark.django_db
PROMPT = Prompt(SafeText(""), (Message("user", SafeText("Well?")),))


def _rows() -> list[ModelUsage]:
    usage_buffer.flush()
    with in_role(OPERATOR_ROLE):
        return list(ModelUsage.objects.order_by("tenant_id", "kind", "model_id"))


@pytest.fixture
def tenants(alice: User, charlie: User) -> tuple[Tenant, Tenant]:
    """Alice's, and Charlie's."""
    hers, his = Tenant.objects.create(name="Harbour"), Tenant.objects.create(name="Meadow")
    employ(hers, alice)
    employ(his, charlie)
    return hers, his


def test_calls_are_added_up_for_whom_they_were_made(server: ModelServer, tenants: tuple[Tenant, Tenant]) -> None:
    hers, _his = tenants
    configured_model(hers.pk).call(PROMPT, "big", kind="answer")
    configured_model(hers.pk).call(PROMPT, "big", kind="answer")
    configured_model(hers.pk).call(PROMPT, "little", kind="understanding")
    configured_model(None).call(PROMPT, "little", kind="learning")

    rows = {(row.tenant_id, row.kind, row.model_id): row for row in _rows()}

    assert rows.keys() == {
        (hers.pk, "answer", "big"), (hers.pk, "understanding", "little"), (None, "learning", "little"),
    }  # fmt: skip
    answers = rows[hers.pk, "answer", "big"]
    assert (answers.day, answers.calls, answers.failures) == (timezone.now().date(), 2, 0)
    assert (answers.input_tokens, answers.cached_tokens, answers.output_tokens) == (2_000_000, 1_000_000, 0)
    assert answers.cost == Decimal("2.50")  # a million at 2, a million at .5
    assert rows[None, "learning", "little"].cost == Decimal("0.50")  # of a model whose cached tokens cost the same
    assert (sum(answers.first_token), sum(answers.whole)) == (2, 2)


def test_two_flushes_add_up_in_one_row(server: ModelServer) -> None:
    for _ in range(2):
        configured_model(None).call(PROMPT, "big", kind="answer")
        usage_buffer.flush()

    [row] = _rows()
    assert (row.calls, row.input_tokens, row.cost, sum(row.whole)) == (2, 2_000_000, Decimal("2.50"), 2)


def test_an_unknown_price_is_not_nothing(server: ModelServer, settings: Settings) -> None:
    settings.MODEL_PRICES = {}
    configured_model(None).call(PROMPT, "big", kind="answer")

    [row] = _rows()
    assert (row.cost, row.unpriced_calls) == (Decimal(0), 1)


def test_a_failure_is_counted_and_costs_nothing(server: ModelServer) -> None:
    server.script([Refuses(503)])
    with pytest.raises(ModelUnavailable):
        configured_model(None).call(PROMPT, "big", kind="research")

    [row] = _rows()
    assert (row.calls, row.failures, row.cost, row.unpriced_calls, sum(row.whole)) == (1, 1, Decimal(0), 0, 0)


def test_no_call_writes_to_the_database(server: ModelServer) -> None:
    model = configured_model(None)
    with CaptureQueriesContext(connection) as queries:
        model.call(PROMPT, "big", kind="answer")
        list(model.stream(PROMPT, "big", kind="answer"))

    assert len(queries) == 0


def test_without_a_server_nothing_is_counted(settings: Settings) -> None:
    settings.OPENAI_BASE_URL = ""
    configured_model(None).call(PROMPT, "offline", kind="answer")

    assert _rows() == []


def test_members_read_their_organisations_figures_alone(
    server: ModelServer, tenants: tuple[Tenant, Tenant], alice: User, charlie: User
) -> None:
    hers, his = tenants
    for tenant in (hers.pk, his.pk, None):
        configured_model(tenant).call(PROMPT, "big", kind="answer")
    usage_buffer.flush()

    for person, own in ((alice, hers), (charlie, his)):
        with acting_as(person.pk):
            assert [row.tenant_id for row in ModelUsage.objects.all()] == [own.pk]
            assert ModelUsage.objects.update(cost=0) == 0


def test_what_cannot_be_written_is_kept_for_the_next_time(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> None:
        raise DatabaseError

    configured_model(None).call(PROMPT, "big", kind="answer")
    with monkeypatch.context() as broken:
        broken.setattr(buffer_module, "_add_to_table", fail)
        usage_buffer.flush()
    configured_model(None).call(PROMPT, "big", kind="answer")

    [row] = _rows()
    assert (row.calls, sum(row.whole)) == (2, 2)


@pytest.mark.parametrize("model_id", ["big\x00", "big\ud800", "b" * 121])
def test_sums_that_no_table_can_hold_hold_up_no_others(model_id: str) -> None:
    for name in ("big", model_id, "little"):
        usage_buffer.add(MeteredCall(None, "answer", name, False, 1.0, None, (10, 0, 1)))

    with capture_logs() as logged:
        assert [row.model_id for row in _rows()] == ["big", "little"]
    [entry] = logged
    assert (entry["event"], entry["calls"], entry["cost"]) == ("model_usage_dropped", 1, "0")
    assert (entry["tenant_id"], entry["model_id_length"]) == (None, len(model_id))
    assert not usage_buffer.take()


def test_a_fault_of_the_code_is_not_taken_for_one_of_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buffer_module, "_add_to_table", lambda _: int("no number"))
    usage_buffer.add(MeteredCall(None, "answer", "big", False, 1.0, None, (10, 0, 1)))

    with pytest.raises(ValueError, match="no number"):
        usage_buffer.flush()


def test_of_a_deleted_organisation_nothing_is_kept_and_nothing_else_is_lost(
    server: ModelServer, tenants: tuple[Tenant, Tenant], charlie: User
) -> None:
    _hers, his = tenants
    configured_model(his.pk).call(PROMPT, "big", kind="answer")
    configured_model(None).call(PROMPT, "big", kind="answer")
    User.objects.filter(pk=charlie.pk).update(tenant=None)
    Tenant.objects.filter(pk=his.pk)._raw_delete(connection.alias)  # as the database's own administrator would

    assert [row.tenant_id for row in _rows()] == [None]


def _add_often(buffer: UsageBuffer, call: MeteredCall) -> None:
    for _ in range(500):
        buffer.add(call)


def test_threads_lose_no_call() -> None:
    buffer = UsageBuffer()
    call = MeteredCall(None, "answer", "big", failed=False, seconds=1, first_token_seconds=1, tokens=(10, 0, 1))
    threads = [threading.Thread(target=_add_often, args=(buffer, call)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    [sums] = buffer.take().values()
    assert (sums.calls, sums.input_tokens, sums.whole[bucket_of(1)]) == (4_000, 40_000, 4_000)


def test_long_past_usage_is_deleted(settings: Settings) -> None:
    settings.MODEL_USAGE_DAYS = 30
    today = timezone.now().date()
    with in_role(WORKER_ROLE):
        for ago in (30, 31):
            ModelUsage.objects.create(day=today - timedelta(days=ago), kind="answer", model_id="big")

    assert delete_outdated() == 1
    assert [row.day for row in _rows()] == [today - timedelta(days=30)]


@pytest.mark.parametrize(
    ("counts", "percent", "seconds"),
    [
        ([0] * (len(BOUNDS) + 1), 95, None),
        ([10, *[0] * len(BOUNDS)], 50, 0.05),
        ([5, 5, *[0] * (len(BOUNDS) - 1)], 100, 0.2),
        ([*[0] * len(BOUNDS), 3], 95, BOUNDS[-1]),
    ],
)
def test_percentiles_of_a_histogram(counts: list[int], percent: float, seconds: float | None) -> None:
    assert percentile_of(counts, percent) == pytest.approx(seconds)
