"""Chooses the language a piece of research is written in."""

from __future__ import annotations

from typing import Final

from consent.permit import Permit
from finclaw.brain.material.objective import Language
from finclaw.brain.research.types import LoadedSlices
from foundation.text import cjk_share
from memory.models import ResearchTask, Snapshot
from memory.research.inferences import snapshots_of_thread

_MOSTLY_CHINESE: Final = 0.5


def snapshot_language(snapshot: Snapshot) -> Language | None:
    """The language of our words in a snapshot, read off its quality note; None where that was removed."""
    note = snapshot.data_quality_note
    if not note:
        return None
    return "zh" if cjk_share(note) > _MOSTLY_CHINESE else "en"


def task_language(permit: Permit, task: ResearchTask, slices: LoadedSlices) -> Language:
    """The language the user stated for the task or thread, else that of the thread's first snapshot, else the one
    stated for everything (slice S1).

    Call in a transaction acting for the user.
    """
    stated = next((loaded.scope for loaded in slices.slices if loaded.slice == "S1"), "default")
    if task.thread is None or stated in ("task", "thread"):
        return slices.language
    first = snapshots_of_thread(permit, task.thread).last()
    return (snapshot_language(first) if first else None) or slices.language
