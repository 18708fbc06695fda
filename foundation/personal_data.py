"""Defines the declaration that each model with personal data carries (its attribute ``personal_data``).

Consent reads the declarations through the app registry: the gate, withdrawal, retention, export and erasure
follow them, so a new table takes part on the day it is added, or the build fails (``consent/checks.py``).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final


class ConsentScope(StrEnum):
    """The four consent scopes: what a user allows to be stored and used."""

    SAVE_TO_THREAD = "save_to_thread"
    SAVE_TO_PROFILE = "save_to_profile"
    TRAINING_USE = "training_use_allowed"
    MEMORY_LEARNING = "memory_learning_allowed"


class OnWithdrawal(StrEnum):
    """What withdrawing the row's scope does to the row."""

    KEEP = "keep"
    DELETE = "delete"  # in the same transaction
    BLOCK = "block"  # in the same transaction: its user may still read it; nothing else uses it
    REVOKE = "revoke"  # in the same transaction: ``withdrawal_status`` becomes "revoked"
    PURGE = "purge"  # within 48 hours, by a task
    CANCEL = "cancel"  # queued work that must not run


class OnErasure(StrEnum):
    """What erasing the account does to the row."""

    DELETE = "delete"
    STRIP = "strip"  # of whose it is and what it refers to: figures are left, of nobody's
    KEEP = "keep"  # proof that it was done: names the person by UUID, and holds nothing of theirs


class KeptFor(StrEnum):
    """Why an erasure of something else, or of less than the whole account, leaves the rows of a table."""

    ACCESS = "access"  # signing in, and belonging to groups
    STATED = "stated"  # what the user stated; an erasure of the profile takes it
    LEARNED = "learned"  # what was learned; an erasure of everything learned takes it
    RESEARCH = "research"  # what the user asked to be researched, and their opinion of it
    ORDER = "order"  # the course of a conversation: who spoke when, in which manner; none of the words
    CHOICE = "choice"  # the user asked to keep it
    FIGURES = "figures"  # ids and numbers of why something was used
    WORK = "work"  # ids of work that was done, and how it ended
    PROOF = "proof"  # consents, and proof of what was done


@dataclass(frozen=True)
class PersonalData:
    """How the rows of a model belong to a user.

    ``owner`` names the field with the user's id; ``party`` that of somebody else the row is about, who has it in their
    export, and whose erasure takes it. ``scope`` is the consent scope its rows are stored and used
    under; ``None`` means a consent record of any kind is enough. A row under a scope carries the version of that
    consent as ``consent_version``, or shares its id with the row that does: ``stands_for`` lists the models of
    those. ``clock`` names the moment a row's age counts from. ``retention`` is how long rows stay by themselves;
    ``None`` means until erased. ``export`` is the path inside an export archive, or "" where a row tells nothing
    that another exported row does not: ``.jsonl`` holds a row a line, ``.json`` an array, and a name with ``{id}``,
    or another key that no two rows of a user share, one row a file, as JSON or, ending in ``.md``, as the field
    ``body`` under the others; a folder may be named by the id of a row that it refers to. ``withheld`` names the
    fields that leave with no export: credentials, hashes, the machine's own bookkeeping; ``shared`` those that the
    members of a group write together, which leave only with rows of no group. ``memory`` is the scope under which
    memory operations tell of its rows, "" where they are no memory (``foundation.telemetry.memory_operations``).
    ``excludable`` rows are marked ``training_excluded`` when the consent to training is withdrawn and they stay.
    ``compares`` names what compares the user's answers with those of others: keys of fields of JSON, and with no keys
    whole fields. It goes in the transaction that withdraws the consent to learning, from the rows with such keys.
    ``kept`` is why an erasure that does not take the rows leaves them, which its certificate says; ``None`` where
    ``scope`` or ``on_erasure`` says it. ``figures`` are the fields that are left of a row that is stripped.
    """

    owner: str = "user_id"
    party: str = ""
    scope: ConsentScope | None = None
    on_withdrawal: OnWithdrawal = OnWithdrawal.KEEP
    on_erasure: OnErasure = OnErasure.DELETE
    stands_for: tuple[str, ...] = ()
    clock: str = "created_at"
    retention: timedelta | None = None
    export: str = ""
    withheld: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    memory: str = ""
    excludable: bool = False
    compares: tuple[tuple[str, tuple[str, ...]], ...] = ()
    kept: KeptFor | None = None
    figures: tuple[str, ...] = ()

    @property
    def kept_for(self) -> KeptFor | None:
        """Why an erasure that does not take the rows leaves them; ``None`` where the declaration does not say."""
        if self.on_erasure == OnErasure.KEEP:
            return KeptFor.PROOF
        return self.kept or (_KEPT_UNDER.get(self.scope) if self.scope else None)


_KEPT_UNDER: Final = {
    ConsentScope.SAVE_TO_THREAD: KeptFor.RESEARCH,
    ConsentScope.SAVE_TO_PROFILE: KeptFor.STATED,
    ConsentScope.TRAINING_USE: KeptFor.RESEARCH,
    ConsentScope.MEMORY_LEARNING: KeptFor.LEARNED,
}
