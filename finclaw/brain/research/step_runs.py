"""Measures the steps of a research task, and writes a receipt for each."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Final

from consent.permit import Permit
from finclaw.brain.measured_runs import Kind, RunOutcome, measure_run
from finclaw.brain.research.note import PersonalNote
from finclaw.brain.research.part_answers import ANALYSIS_FALLBACK, PartAnswer
from finclaw.brain.research.thesis import ComposedThesis
from finclaw.brain.types import IntentType
from foundation.llm import LanguageModel
from foundation.llm.offline_model import OFFLINE_MODEL_ID
from memory.models import ResearchTask
from memory.services.tool_receipts import write_tool_receipts
from memory.types import ToolRun

_INTENT: Final[IntentType] = "research"


class StepRuns:
    """The steps of one attempt at a task, in their order."""

    def __init__(self, task: ResearchTask) -> None:
        self._task = task
        self._runs: list[ToolRun] = []

    def measure(self, step: str) -> AbstractContextManager[RunOutcome]:
        """Measure the block as a step."""
        return measure_run(self._runs, Kind.STEP, step, skill=self._task.route)

    def write_receipts(self, permit: Permit) -> None:
        """Write the receipts of the steps so far. Call in the transaction that says how the attempt ended."""
        write_tool_receipts(permit, self._runs, run_id=self._task.pk, intent_type=_INTENT)


def end_part(run: RunOutcome, answer: PartAnswer, model: LanguageModel) -> None:
    """Record how a part came out: how many statements it has, and how many were left out and why."""
    run.counts = {
        "statements": len(answer.statements),
        "unfounded": answer.unfounded,
        "later": len(answer.postdated),
        "cut": len(answer.too_long),
    }
    _note_model(run, answer.model_id, model)


def end_personal(run: RunOutcome, made: ComposedThesis | PersonalNote | None, model: LanguageModel) -> None:
    """Record how thesis or note came out; ``made`` is None where there was nothing personal to say."""
    if made is not None:
        _note_model(run, made.model_id, model)


def _note_model(run: RunOutcome, model_id: str, model: LanguageModel) -> None:
    """Mark a step as done by rule where a model could have done it: no failure, but not what was asked for either."""
    if model_id == OFFLINE_MODEL_ID and not model.is_offline:
        run.end_by_rule(ANALYSIS_FALLBACK)
