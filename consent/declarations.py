"""Reading the ``PersonalData`` declarations that the models carry."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.apps import apps
from django.db import models

from foundation.personal_data import OnWithdrawal, PersonalData, Scope


@dataclass(frozen=True)
class PersonalModel:
    """A model with its declaration; a history model answers with the one of the model it records."""

    model: type[models.Model]
    declaration: PersonalData

    @property
    def label(self) -> str:
        return self.model._meta.label


def personal_models() -> Iterator[PersonalModel]:
    """Every model that declares personal data, its history included."""
    for model in apps.get_models():
        declaration = declaration_of(model)
        if declaration is not None:
            yield PersonalModel(model, declaration)


def declaration_of(model: type[models.Model]) -> PersonalData | None:
    """The model's own declaration, or that of the model whose history it keeps."""
    recorded = getattr(model, "instance_type", model)  # simple_history's name for the model a history is of
    declaration = getattr(recorded, "personal_data", None)
    return declaration if isinstance(declaration, PersonalData) else None


def withdrawn_with(scope: Scope, action: OnWithdrawal) -> list[PersonalModel]:
    """The models whose rows meet ``action`` when ``scope`` is withdrawn, those that refer to others first."""
    found = [
        one for one in personal_models() if one.declaration.scope == scope and one.declaration.on_withdrawal == action
    ]
    return _referrers_first(found)


def _referrers_first(found: list[PersonalModel]) -> list[PersonalModel]:
    ordered: list[PersonalModel] = []
    waiting = list(found)
    while waiting:
        free = [one for one in waiting if not _referrers(one, waiting)]
        if not free:
            raise ValueError("personal tables refer to each other in a circle")
        ordered += free
        waiting = [one for one in waiting if one not in free]
    return ordered


def _referrers(target: PersonalModel, among: list[PersonalModel]) -> list[PersonalModel]:
    return [
        one
        for one in among
        if one is not target
        and any(field.related_model is target.model for field in one.model._meta.get_fields() if field.many_to_one)
    ]
