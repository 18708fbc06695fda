"""Rows that are written once, whoever comes first."""

from __future__ import annotations

from typing import Any, TypeVar

from django.db import IntegrityError, transaction
from django.db.models import Model

Row = TypeVar("Row", bound=Model)


def insert_or_get(row: Row, **key: Any) -> tuple[Row, bool]:
    """Insert ``row`` unless one with its unique ``key`` is there; answers the stored row and whether it is new.

    For rows that are nearly always new: unlike ``get_or_create`` it does not look first, which would cost
    every turn a query.
    """
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError:
        stored = type(row)._default_manager.filter(**key).first()
        if stored is None:
            raise
        return stored, False
    return row, True
