"""Operators see everybody's rows, change none of the content, and read no words in a list but that of a review."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.db.models import Model
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django_q.models import Schedule, Success

from consent.models import AuditEvent, ProfileConsent, Tombstone
from consent.permit import Permit
from drift.models import DriftSignal
from finclaw.console.menu import GROUPS
from foundation.accounts.models import ApiToken, ChatGroup, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.ids import new_id
from foundation.outbox.models import OutboxMessage
from memory.models import (
    CognitiveEvent,
    CognitiveJob,
    ConversationEvent,
    EntityProfile,
    MemoryItem,
    Receipt,
    ResearchTask,
    SearchEntry,
    Session,
    TrainingAssetCandidate,
    UserContext,
)
from personas.models import PersonaSignal, PersonaState, UserDocument
from tests.console.conftest import SECRET
from tests.support.erasures import ask_to_forget

OF_ALICE = (
    ApiToken, ChatGroup, CognitiveEvent, CognitiveJob, ConversationEvent, EntityProfile, MemoryItem, OutboxMessage,
    ProfileConsent, PersonaSignal, PersonaState, Receipt, SearchEntry, Session, UserContext, UserDocument, DriftSignal,
    ResearchTask, TrainingAssetCandidate,
)  # fmt: skip
REGISTERED = sorted(admin.site._registry, key=lambda model: model._meta.label)


def _url(model: type[Model], page: str = "changelist", *arguments: object) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=arguments)


def _first(model: type[Model]) -> Model:
    with in_role(OPERATOR_ROLE):
        row = model._default_manager.first()
    assert row is not None
    return row


def test_a_list_shows_other_peoples_rows_and_none_of_their_words_but_for_a_review(
    as_operator: Client, alices_rows: Permit
) -> None:
    for model in OF_ALICE:
        page = as_operator.get(_url(model))

        assert page.status_code == 200, model
        assert page.context["cl"].result_count > 0, model
        assert "alice" in page.content.decode(), model
        # What is reviewed is read in its list, and each reading recorded: ``test_listing_training_candidates``.
        assert (SECRET in page.content.decode()) == (model is TrainingAssetCandidate), model


@pytest.mark.parametrize("model", REGISTERED, ids=lambda model: model._meta.label)
def test_every_list_opens_and_finds_nothing_by_a_stranger_word(model: type[Model], as_operator: Client) -> None:
    assert as_operator.get(_url(model)).status_code == 200
    assert as_operator.get(_url(model), {"q": "no such thing 没有"}).status_code == 200


def test_search_is_by_id_and_user_name_and_never_by_content(as_operator: Client, alices_rows: Permit) -> None:
    def found(model: type[Model], words: str) -> int:
        return int(as_operator.get(_url(model), {"q": words}).context["cl"].result_count)

    for model in set(OF_ALICE) - {ChatGroup, ApiToken}:
        assert found(model, str(_first(model).pk)) == 1, model
        assert found(model, "alice") > 0, model
        assert found(model, "krugerrands") == 0, model


def test_a_row_opens_to_be_looked_at_and_cannot_be_changed(as_operator: Client, alices_rows: Permit) -> None:
    for model in set(OF_ALICE) - {ApiToken}:
        row = _first(model)

        page = as_operator.get(_url(model, "change", row.pk))
        assert page.status_code == 200, model
        assert 'name="_save"' not in page.content.decode(), model
        assert as_operator.post(_url(model, "change", row.pk), {}).status_code == 403, model
        assert as_operator.post(_url(model, "delete", row.pk), {"post": "yes"}).status_code == 403, model
        assert as_operator.get(_url(model, "add")).status_code == 403, model
        assert _first(model) == row, model


def test_a_token_has_no_page_since_its_address_would_be_its_hash(as_operator: Client, alices_rows: Permit) -> None:
    token = ApiToken.objects.get()

    assert token.digest not in as_operator.get(_url(ApiToken)).content.decode()
    assert as_operator.get(_url(ApiToken, "change", token.pk)).status_code == 403


def test_a_persons_page_leads_to_everything_of_theirs(alice: User, as_operator: Client, alices_rows: Permit) -> None:
    page = as_operator.get(_url(User, "change", alice.pk)).content.decode()

    for model in OF_ALICE:
        if model is not ChatGroup:
            assert f"{_url(model)}?user__id__exact={alice.pk}" in page
    filtered = as_operator.get(_url(MemoryItem), {"user__id__exact": str(alice.pk)})
    assert filtered.context["cl"].result_count == 1


def test_a_persons_page_leads_to_what_outlives_them(alice: User, bob: User, as_operator: Client) -> None:
    for person in (alice, bob):
        ask_to_forget(person, timezone.now())
    page = as_operator.get(_url(User, "change", alice.pk)).content.decode()

    for model in (AuditEvent, Tombstone):
        address = f"{_url(model)}?user_id={alice.pk}"
        assert address in page
        listed = as_operator.get(address)
        assert listed.context["cl"].result_count == 1
        assert "alice" in listed.content.decode()


def test_what_outlives_a_person_is_listed_by_their_id(as_operator: Client) -> None:
    gone = new_id()
    with acting_as(gone):
        AuditEvent.objects.create(user_id=gone, action="erasure.completed")

    assert str(gone) in as_operator.get(_url(AuditEvent)).content.decode()
    assert as_operator.get(_url(AuditEvent), {"q": str(gone)}).context["cl"].result_count == 1


def test_a_list_shows_the_end_of_an_id_and_the_whole_as_its_title(as_operator: Client, alices_rows: Permit) -> None:
    row = _first(MemoryItem)

    assert f'<span title="{row.pk}">…{str(row.pk)[-8:]}</span>' in as_operator.get(_url(MemoryItem)).content.decode()


def test_every_registered_page_stands_in_the_menu() -> None:
    listed = {entry.model for group in GROUPS for entry in group.entries}

    assert {model._meta.label for model in REGISTERED} == listed


def test_rows_are_named_by_their_id_and_never_by_their_words(alices_rows: Permit) -> None:
    for model in OF_ALICE:
        assert SECRET not in str(_first(model))


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_a_schedule_that_ran_is_listed_and_nobody_writes_one(as_operator: Client) -> None:
    now = timezone.now()
    run = Success.objects.create(id=new_id().hex, name="nightly", func="f", started=now, stopped=now, success=True)
    row = Schedule.objects.using("owner").create(name="nightly", func="f", task=run.pk)

    page = as_operator.get(_url(Schedule))

    assert page.status_code == 200
    assert "nightly" in page.content.decode()
    assert as_operator.get(_url(Schedule, "add")).status_code == 403
    changed = {"name": "nightly", "func": "os.mkdir", "args": "'/tmp/x'"}
    for url in (_url(Schedule, "add"), _url(Schedule, "change", row.pk), _url(Schedule, "delete", row.pk)):
        assert as_operator.post(url, changed).status_code == 403
    assert Schedule.objects.get().func == "f"
