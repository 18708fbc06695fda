"""An erasure of one conversation, thread or memory leaves no needle in what belongs to it, and all others.

Each field that can hold text has a needle of its own; they are looked for in a dump of the whole database.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import pytest

from consent.models import ErasureScope
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from memory.models import Snapshot, TrainingAssetCandidate
from tests.support.cast import allow, make_person
from tests.support.erasures import forgotten
from tests.support.linked_needles import PORTRAITS, key_for, plant
from tests.support.needles import dump

pytestmark = pytest.mark.django_db(transaction=True)
ALICE, BESIDE = "zqalicezq", "zqbesidezq"

_OPINIONS: Final = {"drift.Feedback", "drift.DriftSignal"}
_TOLD: Final = {
    "memory.ConversationEvent", "memory.CognitiveJob", "memory.CognitiveEvent", "personas.PersonaSignal",
    "media.MediaFile", "media.MediaPassage",
}  # fmt: skip
_LEARNED: Final = {
    "memory.MemoryItem", "memory.EvolutionEvent", "memory.EvolutionProposal", "memory.SearchEntry",
    "memory.HistoricalEntityProfile",
}  # fmt: skip
_MADE_BY_TASK: Final = {
    "memory.ResearchTask", "memory.TaskContext", "memory.Snapshot", "memory.Refresh", "memory.Checkpoint",
    "outbox.OutboxMessage",
}  # fmt: skip
_OF_THREAD: Final = {"memory.Thread", "memory.ThreadContext", "memory.WatchQuestion"}
# What is made anew of the lines that are left, of which there are none.
_PORTRAIT: Final = {f"memory.EntityProfile.{name}" for name in ("body", "lines", "source_event_id", "tags")}
_RECEIPT: Final = {"memory.Receipt.context_hash", "memory.Receipt.generation_metadata"}
_TRACES: Final = ("title", "location", "entity_slots", "summary_blocks", "awaited_tools")
_SESSION: Final = {f"memory.Session.{name}" for name in _TRACES}
_CONVERSATION: Final = _OPINIONS | _TOLD | _LEARNED | {"memory.Session", "personas.PersonaState"}


@dataclass(frozen=True)
class Claim:
    """What an erasure of one scope takes: the row it names, that of opinions, whole tables, and single fields."""

    named: str
    about: str
    tables: set[str]
    fields: set[str]
    without: tuple[str, ...] = ()

    def covers(self, field: str) -> bool:
        """Whether it takes the words of a field."""
        return field in self.fields or field.rpartition(".")[0] in self.tables


CLAIMS: Final = {
    ErasureScope.SESSION: Claim("memory.Session", "memory.ConversationEvent", _CONVERSATION, _PORTRAIT | _RECEIPT),
    ErasureScope.IMPORT: Claim("memory.ChatImport", "memory.ConversationEvent", _CONVERSATION, _PORTRAIT | _RECEIPT),
    ErasureScope.ITEM: Claim(
        "memory.MemoryItem",
        "memory.MemoryItem",
        _OPINIONS | _TOLD | _LEARNED,
        _PORTRAIT | _SESSION | {"personas.PersonaState.notes"},
    ),
    # Of what the memories tell, too, less would go: those are not there.
    ErasureScope.EVENT: Claim(
        "memory.CognitiveEvent",
        "memory.CognitiveEvent",
        _OPINIONS | _TOLD,
        _SESSION | {"personas.PersonaState.notes"},
        without=(*sorted(_LEARNED), *PORTRAITS),
    ),
    ErasureScope.PORTRAIT: Claim("memory.EntityProfile", "memory.EntityProfile", _OPINIONS | set(PORTRAITS), set()),
    ErasureScope.MEDIA: Claim("media.MediaFile", "memory.MemoryItem", {"media.MediaFile", "media.MediaPassage"}, set()),
    ErasureScope.THREAD: Claim("memory.Thread", "memory.Thread", _OPINIONS | _OF_THREAD | _MADE_BY_TASK, set()),
    ErasureScope.TASK: Claim("memory.ResearchTask", "memory.Snapshot", _OPINIONS | _MADE_BY_TASK, set()),
}


@pytest.mark.parametrize("scope", CLAIMS)
def test_what_the_scope_claims_is_gone_and_nothing_else(scope: ErasureScope) -> None:
    alice, claim = make_person("alice"), CLAIMS[scope]
    allow(alice)
    keys, needles = plant(alice, ALICE, claim.about, topic="oboe", without=claim.without)
    _, beside = plant(alice, BESIDE, "memory.Thread", without=(*claim.without, *PORTRAITS))
    if scope == ErasureScope.TASK:  # one of a thread goes with the thread alone
        with acting_as(alice.pk):
            Snapshot.objects.filter(pk=keys["memory.Snapshot"]).update(thread=None)

    done = forgotten(alice, scope, key_for(claim.named, keys))

    assert done.state == "completed", [step.reason for step in done.steps.all()]
    after = dump()
    gone = {field for field, needle in needles.items() if needle not in after}
    assert gone == {field for field in needles if claim.covers(field)}
    assert {field for field, needle in beside.items() if needle not in after} == set()
    with in_role(OPERATOR_ROLE):  # which name a snapshot, and hold no word
        assert TrainingAssetCandidate.objects.count() == (1 if "memory.Snapshot" in claim.tables else 2)


def test_each_needle_stands_in_the_dump_at_first() -> None:
    alice = make_person("alice")
    allow(alice)
    _, needles = plant(alice, ALICE, "memory.Thread", topic="oboe")
    before = dump()
    assert {field for field, needle in needles.items() if needle not in before} == set()
    assert len(needles) > 100


def test_every_scope_of_rows_has_its_claim() -> None:
    assert set(CLAIMS) == set(ErasureScope) - {ErasureScope.PROFILE, ErasureScope.MEMORIES, ErasureScope.ACCOUNT}
