"""The one declaration each model with personal data carries.

Consent reads the declarations through the app registry: the gate, withdrawal, retention, export and erasure
follow them, so a new table takes part on the day it is added, or the build fails (``consent/checks.py``).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum


class Scope(StrEnum):
    """The four consent scopes (requirements, "The four consent scopes")."""

    SAVE_TO_THREAD = "save_to_thread"
    SAVE_TO_PROFILE = "save_to_profile"
    TRAINING_USE = "training_use_allowed"
    MEMORY_LEARNING = "memory_learning_allowed"


class OnWithdrawal(StrEnum):
    """What withdrawing the row's scope does to the row (seed A §10.4)."""

    KEEP = "keep"
    DELETE = "delete"  # in the same transaction
    PURGE = "purge"  # within 48 hours, by a task
    CANCEL = "cancel"  # queued work that must not run


@dataclass(frozen=True)
class PersonalData:
    """How one model's rows belong to a person.

    ``owner`` names the field with the user's id. ``scope`` is the consent scope its rows are stored and used
    under; ``None`` means a consent record of any kind is enough. ``retention`` is how long rows stay by
    themselves; ``None`` means until erased. ``export`` is the path inside an export archive, or "" where a
    row tells nothing that another exported row does not.
    """

    owner: str = "user_id"
    scope: Scope | None = None
    on_withdrawal: OnWithdrawal = OnWithdrawal.KEEP
    retention: timedelta | None = None
    export: str = ""
