"""Read the ``PersonalData`` declarations of the models."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db import models

from foundation.personal_data import ConsentScope, OnWithdrawal, PersonalData


@dataclass(frozen=True)
class PersonalModel:
    """A model with its ``PersonalData``; a history model has that of the model it records."""

    model: type[models.Model]
    declaration: PersonalData

    @property
    def label(self) -> str:
        return self.model._meta.label

    @property
    def is_history(self) -> bool:
        """Whether it keeps the versions of another model's rows."""
        return _recorded_by(self.model) is not self.model

    def rows_of(self, user_id: UUID) -> models.QuerySet[Any]:
        """Every row of the person that the database role may see, including rows that an erasure has hidden."""
        return self.model._base_manager.filter(concerns_person(self.declaration, user_id))


def concerns_person(declaration: PersonalData, user_id: UUID) -> models.Q:
    """The rows that the user owns or is a party to."""
    columns = filter(None, (declaration.owner, declaration.party))
    return reduce(or_, (models.Q(**{column: user_id}) for column in columns))


def personal_models() -> Iterator[PersonalModel]:
    """Every model that declares personal data, its history included."""
    for model in apps.get_models():
        declaration = declaration_of(model)
        if declaration is not None:
            yield PersonalModel(model, declaration)


def declaration_of(model: type[models.Model]) -> PersonalData | None:
    """The model's own declaration, or that of the model whose history it keeps."""
    declaration = getattr(_recorded_by(model), "personal_data", None)
    return declaration if isinstance(declaration, PersonalData) else None


def _recorded_by(model: type[models.Model]) -> type[models.Model]:
    recorded: type[models.Model] = getattr(model, "instance_type", model)  # simple_history's name for it
    return recorded


def models_withdrawn_with(scope: ConsentScope, action: OnWithdrawal) -> list[PersonalModel]:
    """The models whose rows undergo ``action`` when ``scope`` is withdrawn, those that refer to others first."""
    found = [
        personal
        for personal in personal_models()
        if personal.declaration.scope == scope and personal.declaration.on_withdrawal == action
    ]
    return order_for_deletion(found)


def order_for_deletion(found: list[PersonalModel]) -> list[PersonalModel]:
    """Order tables so that rows are deleted before those they refer to. Raises ``ValueError`` for a circle."""
    referred = {personal.model: _referred(personal.model) for personal in found}
    ordered: list[PersonalModel] = []
    waiting = list(found)
    while waiting:
        needed = set().union(*(referred[personal.model] for personal in waiting))
        free = [personal for personal in waiting if personal.model not in needed]
        if not free:
            raise ValueError("personal tables refer to each other in a circle")
        ordered += free
        waiting = [personal for personal in waiting if personal.model in needed]
    return ordered


def _referred(model: type[models.Model]) -> set[Any]:
    """The models that its rows refer to, itself left out."""
    return {field.related_model for field in model._meta.concrete_fields} - {model}
