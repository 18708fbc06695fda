"""Counts from receipts how often tools, skills and research steps succeeded, and gives hints from the counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db import connection

from consent.querysets import learning_allowed_condition
from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE
from memory.models import AgentExperience, ToolReceipt
from memory.services.usage_counts import UsageCount

FINDS: Final = 0.6  # least share of calls with a result for the assistant to be told to call a tool
UNFRUITFUL_SHARE: Final = 0.2  # greatest share for it to be told not to count on the tool
UNRELIABLE_SHARE: Final = 0.8  # greatest share of successful runs for it to be told not to promise a skill or a step
_NEEDS_NO_COUNT: Final = ("unknown_tool", "end")  # not a tool of this program, and one that looks nothing up


@dataclass(frozen=True)
class ToolUsage(UsageCount):
    """How often one tool, skill or step was run for one intent, and how often it succeeded.

    A tool succeeds if it gave a result that was read; a skill or a step if it was completed, by the model where one is
    connected. ``subject`` names the tool or skill, for a step ``skill.step``. ``obstacle`` is the most frequent error
    code, "" for none.
    """

    kind: str
    obstacle: str

    @property
    def statistics(self) -> dict[str, Any]:
        """The counts behind the pattern, with the kind of run and the most frequent error code."""
        return super().statistics | {"kind": self.kind, "obstacle": self.obstacle}

    @property
    def pattern(self) -> str:
        """The pattern in words, made of names, codes and numbers."""
        if self.kind == ToolReceipt.Kind.TOOL:
            return f"The tool {self.subject} found something to read in {self.share:.0%} of its calls."
        what = "The step" if self.kind == ToolReceipt.Kind.STEP else "The work"
        mostly = f" What mostly stood in the way: {self.obstacle}." if self.obstacle else ""
        return f"{what} {self.subject} came out as it should {self.share:.0%} of the time.{mostly}"


def hint_of_runs(experience: AgentExperience) -> str:
    """What the assistant is told about a tool, a skill or a step; "" where it need not be told anything."""
    statistics = experience.statistics
    share = statistics["utilized"] / statistics["uses"]
    if statistics["kind"] != ToolReceipt.Kind.TOOL:
        return f"{experience.pattern} Do not promise it." if share <= UNRELIABLE_SHARE else ""
    if share >= FINDS:
        return f"{experience.pattern} Call it where you were given too little."
    return f"{experience.pattern} Do not count on it." if share <= UNFRUITFUL_SHARE else ""


# Only receipts of people under whose consent the organisation may learn now.
_RUN = f"""
    SELECT u.tenant_id, t.intent_type,
        CASE t.kind WHEN 'step' THEN t.skill || '.' || t.tool ELSE t.tool END,
        count(*),
        count(*) FILTER (WHERE t.outcome = 'done' AND (t.kind <> 'tool' OR (t.counts->>'taken')::int > 0)),
        count(DISTINCT t.user_id),
        t.kind,
        coalesce(mode() WITHIN GROUP (ORDER BY t.error_code) FILTER (WHERE t.error_code <> ''), '')
    FROM memory_toolreceipt t
    JOIN accounts_user u ON u.id = t.user_id
    WHERE t.created_at >= %(since)s AND t.intent_type = ANY(%(intents)s) AND t.tool <> ALL(%(uncounted)s)
      AND u.tenant_id IS NOT NULL
      AND {learning_allowed_condition("t.user_id")}
    GROUP BY 1, 2, 3, t.kind
    HAVING count(*) >= %(uses)s AND count(DISTINCT t.user_id) >= %(people)s
"""  # noqa: S608  our own constants


def run_counts(values: Mapping[str, Any]) -> list[ToolUsage]:
    """How the runs of every organisation came out. ``values`` are ``since``, ``intents``, and the fewest ``uses`` and
    ``people`` that tell anything.
    """
    with in_role(OPERATOR_ROLE), connection.cursor() as cursor:
        cursor.execute(_RUN, {**values, "uncounted": list(_NEEDS_NO_COUNT)})
        return [ToolUsage(*row) for row in cursor.fetchall()]
