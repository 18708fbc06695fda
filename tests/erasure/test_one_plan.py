"""One plan of an erasure: what is counted before is what goes, for every scope, and for one that is added."""

from __future__ import annotations

from typing import cast
from uuid import UUID

import pytest
from django.urls import path
from pytest_django import Settings

import finclaw.urls
from consent.erasure.row_deletion import count_rows
from consent.erasure.services import erasure_of, erasures_of
from consent.erasure.types import Targets
from consent.models import ErasureScope, Sources, Tombstone
from consent.permit import Permit
from finclaw.erasure import forget, plan_erasure
from finclaw.erasure_preview import preview_erasure
from finclaw.erasure_scopes import SCOPES, ScopeRules
from finclaw.web.erasure_confirmations import FORGET_PAGES, ErasureConfirmation, ForgetPage
from finclaw.web.views.erasure_requests import ForgetView
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import ERASER_ROLE
from foundation.outbox.tasks import drain
from media.models import MediaFile
from memory.erasure.labels import PORTRAIT
from memory.models import ChatImport, EntityProfile, Session
from memory.research.profile_context import save_profile_context
from tests.drift.support import rate
from tests.memory.portraits.support import bullets, tell
from tests.support.cast import allow
from tests.support.research import asked, thread_kept
from tests.support.talk import memories, open_session, permit_of, say
from tests.web.support import signed_in

pytestmark = pytest.mark.django_db(transaction=True)
PORTRAITS = cast(ErasureScope, "portraits")  # a scope of this test's own: all the user's portraits
urlpatterns = [path("portraits/forget/", ForgetView.as_view(), {"scope": PORTRAITS}), *finclaw.urls.urlpatterns]


@pytest.fixture
def targets(alice: User) -> dict[str, str]:
    """Something of every kind that a person can name, by scope."""
    allow(alice)
    session, imported = open_session(alice), open_session(alice)
    (said,) = say(alice, session, "I prefer short answers. The weather is fine.")
    event = tell(alice, session, "I prefer short answers.", message=said.pk)
    say(alice, imported, "I live in Kunming.")
    [item, *_] = memories(alice)
    rate(alice, f"memory:{item.pk}", "disagree", "Not any more.")
    thread, task = thread_kept(alice), asked(alice)
    with acting_as(alice.pk):
        save_profile_context(permit_of(alice), {"language_preference": "zh"})
        chats = ChatImport.objects.create(user=alice, origin="web", size=1, state=ChatImport.State.DONE)
        with in_role(ERASER_ROLE):
            Session.objects.filter(pk=imported.pk).update(brought_by=chats.pk)
        portrait = EntityProfile.objects.get()
        file = MediaFile.objects.create(user=alice, name="a.txt", kind=MediaFile.Kind.TEXT, size=1, sha256="0" * 64)
    named = {"item": item, "session": session, "thread": thread, "task": task, "portrait": portrait, "import": chats}
    named["media"] = file
    return {"event": event, **{scope: str(row.pk) for scope, row in named.items()}}


@pytest.mark.parametrize("sources", Sources)
@pytest.mark.parametrize("scope", ErasureScope)
def test_what_a_plan_counts_is_what_its_erasure_deletes(
    alice: User, targets: dict[str, str], scope: ErasureScope, sources: Sources
) -> None:
    target = targets.get(scope, "")
    with acting_as(alice.pk):
        plan = plan_erasure(permit_of(alice), scope, target, sources)
        with in_role(ERASER_ROLE):
            counted = count_rows(plan)
        assert sum(counted.values()) > 0
        tombstone = forget(alice, scope, target, sources, source="api")
        assert tombstone.targets == plan.targets.as_json()
    drain()
    done = _done(alice, tombstone)
    deleted = {label: rows for label, rows in done.deleted.items() if label in counted}
    if scope not in (ErasureScope.ACCOUNT, ErasureScope.MEMORIES):
        assert deleted == dict(counted)
    else:  # its own audit and queue rows came after the count
        assert {label: rows for label, rows in deleted.items() if rows < counted[label]} == {}


def test_every_scope_has_its_rules_and_a_page_but_for_what_is_undone_elsewhere() -> None:
    assert set(SCOPES) == set(ErasureScope)
    assert set(FORGET_PAGES) == set(ErasureScope) - {ErasureScope.IMPORT}


def _all_portraits(permit: Permit, _target: None, _sources: Sources) -> Targets:
    rows = EntityProfile.objects.filter(user_id=permit.user_id)
    return Targets(delete={PORTRAIT: set(rows.values_list("pk", flat=True))})


def _confirm_portraits(permit: Permit, target: str) -> ErasureConfirmation:
    going = preview_erasure(permit, PORTRAITS, target, Sources.REDACT)
    number = len(going.targets.delete[PORTRAIT])
    return ErasureConfirmation("Forget your portraits?", "Forget them", "/", goes=[f"{number} portrait"])


def test_a_scope_is_added_by_its_rules_and_its_page(
    alice: User, targets: dict[str, str], monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    monkeypatch.setitem(SCOPES, PORTRAITS, ScopeRules(find_targets=_all_portraits))
    page = ForgetPage("portraits/forget/", "forget_portraits", _confirm_portraits)
    monkeypatch.setitem(FORGET_PAGES, PORTRAITS, page)
    settings.ROOT_URLCONF = __name__
    browser, kept = signed_in(alice), len(memories(alice))
    assert bullets(alice)
    assert browser.get("/portraits/forget/").context["question"].goes == ["1 portrait"]
    assert browser.post("/portraits/forget/").status_code == 302
    assert not bullets(alice)
    drain()
    with acting_as(alice.pk):
        done = _done(alice, erasures_of(alice.pk).get())
    assert (done.scope, done.item_count, done.deleted["memory.EntityProfile"]) == (PORTRAITS, 1, 1)
    assert done.certificate is not None
    assert len(memories(alice)) == kept
    assert UUID(targets["item"]) in {item.pk for item in memories(alice)}


def _done(user: User, tombstone: Tombstone) -> Tombstone:
    with acting_as(user.pk):
        done = erasure_of(user.pk, tombstone.pk)
    assert done.state == "completed", [step.reason for step in done.steps.all()]
    return done
