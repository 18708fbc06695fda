"""An asset has one name and one id, however it was asked about; what its user called it is kept beside, and a thread
that follows it already is offered before another is begun.
"""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.urls import reverse
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.language import Language
from foundation.outbox.tasks import drain
from memory.models import Snapshot, Thread
from memory.research.asset_names import canonical_name, object_id
from memory.research.types import CognitionObject
from tests.brain.research.told import follow
from tests.support.api import post, signed_in
from tests.support.cast import allow
from tests.support.research import snapshot_made, thread_kept
from tests.web.support import signed_in as browser_of


@pytest.mark.parametrize(
    ("name", "language", "shown"),
    [
        ("PLTR", "en", "Palantir"),
        ("帕兰提尔", "en", "Palantir"),
        ("palantir technologies", "zh", "帕兰提尔"),
        ("600519", "zh", "贵州茅台"),
        ("茅台", "en", "Kweichow Moutai"),
        ("BYD", "en", "BYD"),
        ("Snowflake Inc", "en", "Snowflake"),
        ("ORCL", "en", "ORCL"),
        ("COIN", "zh", "Coinbase"),
        ("Zorblatt Industries", "en", "Zorblatt Industries"),
    ],
)
def test_every_name_of_an_asset_is_shown_as_one(name: str, language: Language, shown: str) -> None:
    assert canonical_name(CognitionObject("asset", name), language) == shown


def test_an_event_is_named_by_its_asset_and_a_theme_as_it_was_said() -> None:
    assert canonical_name(CognitionObject("event", "NVDA earnings"), "en") == "Nvidia earnings"
    assert canonical_name(CognitionObject("theme", "NVDA"), "en") == "NVDA"


def test_an_organisations_own_name_leads_to_the_asset_it_means() -> None:
    ours = [frozenset({"Big Blue", "IBM"}), frozenset({"ZB", "Zorblatt Industries"})]
    assert canonical_name(CognitionObject("asset", "Big Blue"), "en", ours) == "IBM"
    assert canonical_name(CognitionObject("asset", "ZB"), "en", ours) == "Zorblatt Industries"


@pytest.mark.parametrize(
    ("name", "key"), [("帕兰提尔", "asset:PLTR"), ("Moutai", "asset:600519.SH"), ("Zorblatt", "asset:zorblatt")]
)
def test_the_id_is_the_same_for_all_names(name: str, key: str) -> None:
    assert object_id(CognitionObject("asset", name)) == key


@pytest.fixture
def as_alice(alice: User) -> APIClient:
    return signed_in(alice)


def _snapshot(client: APIClient, prompt: str) -> dict[str, Any]:
    task = post(client, "/api/tasks", {"route": "snapshot", "prompt": prompt}).json()["task_id"]
    drain()
    made = client.get(f"/api/tasks/{task}").json()["result"]["id"]
    answer: dict[str, Any] = client.get(f"/api/snapshots/{made}").json()
    return answer


def test_three_wordings_are_one_object_and_each_is_kept_as_said(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    prompts = ("Where does Palantir stand", "I think PLTR is cheap", "Is Palantir Technologies worth it? 帕兰提尔")

    found = [_snapshot(as_alice, prompt)["cognition_object"] for prompt in prompts]

    assert {(one["kind"], one["name"], one["id"]) for one in found} == {("asset", "Palantir", "asset:PLTR")}
    assert [one["alias"] for one in found[:2]] == ["", "PLTR"]


def test_asked_in_another_language_it_keeps_the_name_it_has(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    _snapshot(as_alice, "Where does Palantir stand")

    named = _snapshot(as_alice, "你怎么看帕兰提尔")["cognition_object"]

    assert (named["name"], named["alias"]) == ("Palantir", "帕兰提尔")


def test_another_persons_names_are_theirs_alone(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    follow(alice, "My view", "asset", "帕兰提尔")

    assert _snapshot(signed_in(bob), "What of PLTR?")["cognition_object"]["name"] == "Palantir"


def test_a_name_that_its_user_gave_leads_to_what_it_means(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    thread = thread_kept(alice, snapshot_made(alice, object=CognitionObject("theme", "the big one")))
    body = {"cognition_object": {"kind": "asset", "name": "Big Snow"}}
    assert as_alice.patch(f"/api/threads/{thread.pk}", body, format="json").status_code == 200

    named = _snapshot(as_alice, "Where does Big Snow stand")["cognition_object"]

    assert (named["kind"], named["name"]) == ("asset", "Big Snow")


def test_a_correction_to_another_name_of_the_same_keeps_the_former_as_alias(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    thread = thread_kept(alice, snapshot_made(alice, object=CognitionObject("asset", "Palantir")))
    for name, alias in (("PLTR", "Palantir"), ("Snowflake", "")):
        body = {"cognition_object": {"kind": "asset", "name": name}}
        corrected = as_alice.patch(f"/api/threads/{thread.pk}", body, format="json").json()["cognition_object"]
        assert (corrected["name"], corrected["alias"]) == (name, alias)


def test_a_thread_that_follows_it_already_is_offered(alice: User, as_alice: APIClient, bob: User) -> None:
    allow(alice)
    allow(bob)
    thread = thread_kept(alice, snapshot_made(alice, object=CognitionObject("asset", "PLTR")), title="Is it worth it?")
    follow(bob, "Bob's", "asset", "Palantir")
    follow(alice, "Another", "asset", "NVDA")

    made = _snapshot(as_alice, "Where does Palantir stand")

    assert made["open_threads"] == [{"thread_id": str(thread.pk), "title": "Is it worth it?"}]
    browser = browser_of(alice)
    for page in ("snapshot", "keep_snapshot"):
        shown = browser.get(reverse(f"web:{page}", args=[made["snapshot_id"]])).content.decode()
        assert f"?again={made['task_id']}&amp;thread={thread.pk}" in shown
    form = browser.get(f"{reverse('web:ask')}?again={made['task_id']}&thread={thread.pk}").context["form"]
    assert form.initial["thread"] == str(thread.pk)
    assert (form.initial["route"], form.initial["prompt"]) == ("thread_refresh", "Where does Palantir stand")


def test_no_thread_is_offered_for_something_else_or_once_it_is_closed(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    thread = thread_kept(alice, snapshot_made(alice, object=CognitionObject("asset", "PLTR")))
    assert _snapshot(as_alice, "Where does Nvidia stand")["open_threads"] == []
    assert as_alice.patch(f"/api/threads/{thread.pk}", {"state": "closed"}, format="json").status_code == 200
    assert _snapshot(as_alice, "Where does Palantir stand")["open_threads"] == []


def _names(user: User) -> list[tuple[str, str]]:
    with acting_as(user.pk):
        tables = (Thread.objects.order_by("created_at"), Snapshot.objects.order_by("created_at"))
        return [named for rows in tables for named in rows.values_list("object_name", "object_alias")]


def test_rows_of_before_take_one_name_and_can_take_back_theirs(alice: User) -> None:
    allow(alice)
    migration = import_module("memory.migrations.0037_one_name_for_an_object")
    follow(alice, "Mine", "asset", "Palantir")
    for name in ("PLTR", "帕兰提尔", "NVDA"):
        snapshot_made(alice, object=CognitionObject("asset", name))
    as_said = _names(alice)

    with acting_as(alice.pk):
        migration._name_once(apps, SimpleNamespace(connection=connection))
    assert _names(alice) == [("Palantir", ""), ("Palantir", "PLTR"), ("Palantir", "帕兰提尔"), ("NVDA", "")]

    with acting_as(alice.pk):
        migration._name_as_said(apps, SimpleNamespace(connection=connection))
    assert [name for name, _ in _names(alice)] == [name for name, _ in as_said]
