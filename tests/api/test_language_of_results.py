"""What the assistant itself says in a result is in the language of the question, unless its user stated another."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.language import cjk_share
from foundation.outbox.tasks import drain
from tests.support.api import post
from tests.support.cast import allow

CHINESE = (
    "贵州茅台现在怎么样？\nKweichow Moutai reported revenue of 91 billion yuan on 2025-08-12. Inventory is a risk."
)
ENGLISH = "Where does Kweichow Moutai stand?\n2025年8月12日，贵州茅台公布上半年营业总收入910.94亿元。渠道库存是风险。"


def _snapshot(client: APIClient, prompt: str) -> dict[str, Any]:
    """A snapshot asked for by a program, without a word on its language."""
    task = post(client, "/api/tasks", {"route": "snapshot", "prompt": prompt}).json()["task_id"]
    drain()
    made = client.get(f"/api/tasks/{task}").json()["result"]["id"]
    answer: dict[str, Any] = client.get(f"/api/snapshots/{made}").json()
    return answer


def _conditions(client: APIClient, snapshot: dict[str, Any]) -> list[str]:
    """The refresh conditions of a thread kept without choosing any."""
    consent = client.get("/api/users/me/profile-consent").json()["consent_id"]
    body = {"title": "T", "save_user_context": False, "consent_ack": {"consent_id": consent}}
    kept = post(client, f"/api/snapshots/{snapshot['snapshot_id']}/save-as-thread", body).json()
    conditions: list[str] = kept["refresh_conditions"]
    return conditions


@pytest.mark.parametrize(("prompt", "is_chinese"), [(CHINESE, True), (ENGLISH, False)])
def test_without_a_stated_language_it_is_that_of_the_question(
    alice: User, as_alice: APIClient, prompt: str, *, is_chinese: bool
) -> None:
    allow(alice)

    made = _snapshot(as_alice, prompt)
    said = [made["data_quality_note"], *_conditions(as_alice, made)]

    assert [cjk_share(sentence) > 0.5 for sentence in said] == [is_chinese] * 4


def test_a_stated_language_wins_over_that_of_the_question(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    assert as_alice.patch("/api/users/me/context", {"language_preference": "en"}).status_code == 200

    assert cjk_share(_snapshot(as_alice, CHINESE)["data_quality_note"]) == 0
