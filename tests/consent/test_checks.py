"""The build fails for a table that holds personal data and does not say how (C-15)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.apps import apps
from django.db import models

from consent.checks import every_personal_model_declares_itself
from consent.declarations import declaration_of, models_withdrawn_with, personal_models
from consent.models import ProfileConsent
from foundation.personal_data import ConsentScope, KeptFor, OnErasure, OnWithdrawal, PersonalData


@pytest.fixture(autouse=True)
def _forget_models_made_here() -> Iterator[None]:
    yield
    for name in [name for name in apps.all_models["memory"] if name.startswith("made")]:
        del apps.all_models["memory"][name]
    apps.clear_cache()


def _ids() -> list[str | None]:
    return [message.id for message in every_personal_model_declares_itself()]


def _make(name: str, **attributes: object) -> type[models.Model]:
    meta = type("Meta", (), {"app_label": "memory"})
    model: type[models.Model] = type(name, (models.Model,), {"__module__": __name__, "Meta": meta, **attributes})
    return model


def test_our_own_models_all_pass() -> None:
    assert _ids() == []


def test_a_model_with_text_and_no_declaration_is_refused() -> None:
    _make("MadeWithText", words=models.TextField())

    assert _ids() == ["consent.E001"]


def test_a_model_with_a_user_and_no_declaration_is_refused() -> None:
    _make("MadeWithUser", user=models.ForeignKey("accounts.User", models.CASCADE, related_name="+"))

    assert _ids() == ["consent.E001"]


def test_a_declared_owner_must_be_a_field() -> None:
    _make("MadeWithOwner", words=models.TextField(), personal_data=PersonalData(owner="author_id"))

    assert _ids() == ["consent.E002"]


def test_a_declared_model_passes() -> None:
    owner = models.ForeignKey("accounts.User", models.CASCADE, related_name="+")
    _make("MadeWell", words=models.TextField(), user=owner, personal_data=PersonalData(kept=KeptFor.WORK))

    assert _ids() == []


def test_a_declared_model_says_why_an_erasure_may_leave_its_rows() -> None:
    owner = models.ForeignKey("accounts.User", models.CASCADE, related_name="+")
    _make("MadeToStay", user=owner, personal_data=PersonalData())
    _make("MadeAsProof", user=owner, personal_data=PersonalData(on_erasure=OnErasure.KEEP))

    assert _ids() == ["consent.E005"]


def _scoped(name: str, declaration: PersonalData, **fields: models.Field[object, object]) -> None:
    owner = models.ForeignKey("accounts.User", models.CASCADE, related_name="+")
    _make(name, user=owner, personal_data=declaration, **fields)


def test_what_is_stored_under_a_scope_must_say_under_which_version() -> None:
    _scoped("MadeUnstamped", PersonalData(scope=ConsentScope.SAVE_TO_PROFILE))
    assert _ids() == ["consent.E003"]


def test_a_stamp_of_its_own_will_do() -> None:
    _scoped("MadeStamped", PersonalData(scope=ConsentScope.SAVE_TO_PROFILE), consent_version=models.IntegerField())
    assert _ids() == []


@pytest.mark.parametrize(
    ("stands_for", "ids"),
    [
        (("memory.MemoryItem",), []),
        (("memory.MemoryItem", "memory.SearchEntry"), ["consent.E003"]),
        (("accounts.User",), ["consent.E003"]),
    ],
)
def test_or_the_stamp_of_the_rows_it_stands_for(stands_for: tuple[str, ...], ids: list[str]) -> None:
    _scoped("MadeBeside", PersonalData(scope=ConsentScope.MEMORY_LEARNING, stands_for=stands_for))
    assert _ids() == ids


@pytest.mark.parametrize(
    "declaration",
    [
        PersonalData(on_withdrawal=OnWithdrawal.BLOCK, kept=KeptFor.WORK),
        PersonalData(on_withdrawal=OnWithdrawal.REVOKE, kept=KeptFor.WORK),
        PersonalData(on_withdrawal=OnWithdrawal.PURGE, kept=KeptFor.WORK),
        PersonalData(retention=timedelta(days=1), kept=KeptFor.WORK),
        PersonalData(retention=timedelta(days=1), clock="finished_at", kept=KeptFor.WORK),
    ],
    ids=lambda declaration: f"{declaration.on_withdrawal} {declaration.clock}",
)
def test_a_rule_needs_the_field_it_works_with(declaration: PersonalData) -> None:
    _scoped("MadeForARule", declaration)
    assert _ids() == ["consent.E004"]


def test_a_model_with_nothing_personal_needs_no_declaration() -> None:
    _make("MadeOfNumbers", amount=models.IntegerField())

    assert _ids() == []


def test_history_stands_under_the_declaration_of_what_it_records() -> None:
    assert declaration_of(ProfileConsent.history.model) == ProfileConsent.personal_data
    labels = {one.label for one in personal_models()}
    assert {"consent.HistoricalProfileConsent", "memory.HistoricalUserContext"} <= labels


def test_rows_that_refer_to_others_are_purged_before_them() -> None:
    found = [one.model for one in models_withdrawn_with(ConsentScope.MEMORY_LEARNING, OnWithdrawal.PURGE)]

    assert found
    for position, model in enumerate(found):
        targets = {field.related_model for field in model._meta.get_fields() if field.many_to_one}
        assert not targets & set(found[:position]) - {model}
