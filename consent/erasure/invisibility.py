"""Hide the rows that an erasure names, in the transaction that requests it."""

from __future__ import annotations

from django.apps import apps

from consent.erasure.types import Targets
from consent.models import Erasable, Tombstone


def hide_targets(tombstone: Tombstone, targets: Targets) -> None:
    """Put the tombstone's id on every row that will be deleted, redacted or cut, and on the versions in its history
    table if that has the column. Call as the eraser.
    """
    for label, keys in targets.hidden_rows().items():
        model = apps.get_model(label)
        if issubclass(model, Erasable):
            model.with_erased.filter(pk__in=keys).update(tombstone_id=tombstone.pk)
            history = getattr(model, "history", None)
            if history is not None and "tombstone_id" in {field.attname for field in history.model._meta.fields}:
                history.filter(id__in=keys).update(tombstone_id=tombstone.pk)
