"""Labels of the tables whose rows an erasure names."""

from __future__ import annotations

from memory.models import (
    CognitiveEvent,
    CognitiveJob,
    ConversationEvent,
    EntityProfile,
    EvolutionProposal,
    MemoryItem,
    ResearchTask,
    SearchEntry,
    Session,
    Snapshot,
    Thread,
)

ITEM, EVENT, PORTRAIT = MemoryItem._meta.label, CognitiveEvent._meta.label, EntityProfile._meta.label
SESSION, TURN = Session._meta.label, ConversationEvent._meta.label
THREAD, SNAPSHOT, TASK = Thread._meta.label, Snapshot._meta.label, ResearchTask._meta.label
ENTRY, JOB, PROPOSAL = SearchEntry._meta.label, CognitiveJob._meta.label, EvolutionProposal._meta.label
