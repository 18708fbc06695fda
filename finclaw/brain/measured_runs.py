"""Measures what the assistant runs: how long a tool, a skill or a step took, and how it ended; never its words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter

from foundation.exceptions import FinClawError
from memory.models import ToolReceipt
from memory.types import ToolRun

Kind = ToolReceipt.Kind
Outcome = ToolReceipt.Outcome
REFUSAL = "reason"
"""The key in a refusal's ``details`` for its own code, where that says more than the error's."""


@dataclass
class RunOutcome:
    """How a run ended, as set by the code that runs it; ``DONE`` unless one of the methods below is called."""

    outcome: str = Outcome.DONE
    error_code: str = ""
    counts: dict[str, int] = field(default_factory=dict)

    def end_by_rule(self, code: str) -> None:
        """Record that rules did the work of the model that was asked."""
        self.outcome, self.error_code = Outcome.BY_RULE, code

    def refuse(self, code: str) -> None:
        """Record that it was not run, and why."""
        self.outcome, self.error_code = Outcome.REFUSED, code

    def fail(self, error: Exception) -> None:
        """Record the error that ended it: the code of a FinClaw error, the class name of any other."""
        self.outcome = Outcome.FAILED
        self.error_code = error.code if isinstance(error, FinClawError) else type(error).__name__


@contextmanager
def measure_run(runs: list[ToolRun], kind: str, tool: str, *, skill: str = "") -> Iterator[RunOutcome]:
    """Add a run of ``tool`` to ``runs`` when the block ends; an exception is noted as its failure and raised on."""
    run, began = RunOutcome(), perf_counter()
    try:
        yield run
    except Exception as error:
        run.fail(error)
        raise
    finally:
        took = (perf_counter() - began) * 1_000
        runs.append(ToolRun(kind, tool, run.outcome, took, run.error_code, run.counts, skill))
