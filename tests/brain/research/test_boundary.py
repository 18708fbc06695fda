"""FinClaw advises and never executes (B-11): a labelled corpus in both languages, and the fields that acting needs."""

from __future__ import annotations

import inspect
from collections import Counter
from pathlib import Path

import pytest
from django.test import override_settings
from hypothesis import given
from hypothesis import strategies as st

from finclaw.brain.boundary import BoundaryRefused, asks_to_execute, refuse_execution, refuse_fields
from finclaw.brain.research.services import create_research_task, preview_task
from finclaw.statuses import STATUS_OF
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.models import OutboxMessage
from memory.models import ResearchTask
from memory.research.task_lifecycle import RESEARCH_TOPIC
from memory.research.types import CheckpointDraft, ResearchStatement, TaskDraft
from tests.brain.research.told import task
from tests.support.cast import allow

CORPUS = Path(__file__).parent / "boundary.tsv"  # language TAB refused|missed|harmless TAB sentence
EXAMPLES = [tuple(line.split("\t")) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
REFUSED = [text for _, label, text in EXAMPLES if label == "refused"]
MISSED = [text for _, label, text in EXAMPLES if label == "missed"]  # requests that only a model's second look may find
HARMLESS = [text for _, label, text in EXAMPLES if label == "harmless"]


def test_the_corpus_has_sixty_of_each_kind_in_each_language() -> None:
    counts = Counter((language, label) for language, label, _ in EXAMPLES)

    kinds = [(language, label) for language in ("en", "zh") for label in ("refused", "harmless")]
    assert min(counts[kind] for kind in kinds) >= 60


def test_at_most_one_request_of_the_corpus_in_twenty_passes_the_rules() -> None:
    assert len(MISSED) <= (len(REFUSED) + len(MISSED)) / 20


def _is_refused(text: str) -> bool:
    try:
        refuse_execution(text)
    except BoundaryRefused:
        return True
    return False


def test_asking_to_act_is_refused() -> None:
    assert [text for text in REFUSED if not _is_refused(text)] == []


def test_asking_for_advice_telling_and_evidence_are_harmless() -> None:
    assert [text for text in HARMLESS if _is_refused(text)] == []


@given(st.sampled_from(REFUSED), st.sampled_from(HARMLESS), st.sampled_from(HARMLESS))
def test_a_request_is_found_between_harmless_sentences(refused: str, before: str, after: str) -> None:
    assert asks_to_execute(f"{before}\n{refused}\n{after}")


@given(st.sampled_from(HARMLESS), st.sampled_from(HARMLESS))
def test_harmless_sentences_are_harmless_together(one: str, other: str) -> None:
    assert not asks_to_execute(f"{one}\n{other}")


@pytest.mark.parametrize(
    "text",
    [
        "Ｐｌａｃｅ a limit order for 100 shares",
        "帮 我 下 单 买 入",
        "帮我\u200b下单",
        "pl\u00adace an order for 5 ETH",
        "I’ve placed your order.",
    ],
)
def test_another_spelling_hides_nothing(text: str) -> None:
    assert asks_to_execute(text)


@given(st.text(max_size=300))
def test_any_text_is_judged(text: str) -> None:
    assert isinstance(asks_to_execute(text), bool)


@pytest.mark.parametrize(
    "repeated",
    [
        "please ", "my my ", "have my ", "use it to ", "sell, ", "buy and ", "if 1 ", "i want my ", "your order ", "? ",
        "\ufe56", "can you place the ", "confirm that you have ", "帮我", "请把", "每周", "把我的", "如果跌", "全部",
        "按我", "您的订单", "1,", "a", "买",
    ],
)  # fmt: skip
def test_a_text_of_any_length_is_judged_in_linear_time(repeated: str) -> None:
    """Nothing is timed: what grows faster than the text does not end before the test's time limit."""
    assert not asks_to_execute((repeated * 20_000)[:20_000] + "x")


FORBIDDEN = [
    {"order_id": "8812"},
    {"orderId": 8812},
    {"Order ID": "8812"},
    {"side": "buy", "quantity": 100},
    {"limit_price": 50},
    {"plan": [{"leverage": 10}]},
    {"account": "DU12345"},
    {"api-key": "k"},
    {"signature": "0xab"},
    {"委托价": "50"},
    {"计划": {"买卖方向": "买", "数量": 100}},
    "Ready to go: limit price: 50, quantity: 100",
    'The payload is {"order_type": "limit"}',
    ["Fine.", "client_order_id=A-1"],
    "委托价格：50元",
    "订单号：8812",
]
HARMLESS_FIELDS = [
    {"side": "the bulls' side"},
    {"quantity": 100},
    {"user_stated_position_context": "100 shares at 80", "constraints": "no leverage"},
    "Leverage: 3x of EBITDA at year end.",
    "The limit price of the offer is open.",
    "Account: the company restated 2024.",
    "On the other side: margins.",
    "委托价格由市场决定。",
    ["What has to be true first?", 3, None],
]


@pytest.mark.parametrize("payload", FORBIDDEN, ids=str)
def test_a_forbidden_field_is_refused_wherever_it_stands(payload: object) -> None:
    with pytest.raises(BoundaryRefused):
        refuse_fields(payload)


@pytest.mark.parametrize("payload", HARMLESS_FIELDS, ids=str)
def test_words_of_analysis_are_no_fields(payload: object) -> None:
    refuse_fields(payload)


@override_settings(FORBIDDEN_EXECUTION_FIELDS=["strike_price", "expiry+strike", "数量"])
def test_the_forbidden_fields_are_a_setting() -> None:
    refuse_fields({"order_id": "8812"})
    refuse_fields({"expiry": "June"})
    for payload in ({"strikePrice": 5}, {"expiry": "June", "strike": 5}, "数量：100", "strike price = 50"):
        with pytest.raises(BoundaryRefused):
            refuse_fields(payload)


def test_before_the_model_a_prompt_is_refused_and_after_it_what_it_claims_to_have_done() -> None:
    draft = CheckpointDraft(
        "Whether to buy more.",
        (ResearchStatement("Fees hold."), ResearchStatement("我已为您下单买入100股。")),
        (),
        (),
        "",
        "a-model",
    )

    with pytest.raises(BoundaryRefused):
        refuse_execution("Place a limit order for 100 shares at 50.")
    assert [asks_to_execute(one.text) for one in draft.conditions] == [False, True]


@pytest.mark.parametrize(
    "draft",
    [
        task("snapshot", "帮我下单买入100股。"),
        task("pre_execution", "Should I?", constraints="Place the order for me at once."),
        task("pre_execution", "Weigh this. order_type: limit, limit_price: 50"),
        task("pre_execution", "Weigh this.", constraints="委托价格：50元"),
    ],
    ids=["prompt", "stated field", "field in a checkpoint's prompt", "field in a checkpoint's stated field"],
)
def test_what_is_refused_is_neither_stored_nor_queued(alice: User, draft: TaskDraft) -> None:
    permit = allow(alice)

    for asks in (create_research_task, preview_task):
        with acting_as(alice.pk), pytest.raises(BoundaryRefused):
            asks(permit, alice, draft)

    with acting_as(alice.pk):
        assert not ResearchTask.objects.exists()
    assert not OutboxMessage.objects.filter(topic=RESEARCH_TOPIC).exists()


@pytest.mark.parametrize("text", [REFUSED[0], REFUSED[-1]])
def test_the_answer_is_the_same_for_everyone_and_repeats_nothing(text: str) -> None:
    with pytest.raises(BoundaryRefused) as refusal:
        refuse_execution(text)

    assert (refusal.value.code, refusal.value.details) == ("boundary_refused", {})
    assert refusal.value.message == BoundaryRefused.default_message
    assert STATUS_OF[refusal.value.code] == 422


@pytest.mark.parametrize("guard", [refuse_execution, refuse_fields, asks_to_execute])
def test_a_guard_is_told_nothing_of_who_asks(guard: object) -> None:
    assert len(inspect.signature(guard).parameters) == 1  # type: ignore[arg-type]
