"""Having research done in tests, through the product's own doors."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from consent.services import permit_for
from finclaw.brain.research.services import create_research_task
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.llm import Prompt, Reply, TokenUsage
from foundation.outbox.tasks import drain
from memory.models import ResearchTask, Snapshot
from memory.research import results, task_lifecycle
from memory.research.types import TaskDraft

NVDA = """\
Analyze Nvidia. I think Nvidia will keep its lead in data centers.
- On 2025-08-27 Nvidia reported quarterly revenue of 46.7 billion dollars.
- According to its filing of 2025-08-27 gross margin was 72.4%.
- Export rules to China are a risk for the data center business.
- If a large customer moves to its own chips, the lead is gone.
Is demand from cloud providers still growing? Will margins hold?"""
MOUTAI = """\
请分析贵州茅台。我认为茅台的品牌护城河依然稳固。
根据2025年三季报,茅台营业收入同比增长6.3%。
2025年10月29日公告显示毛利率为91.2%。
但是白酒行业需求疲软,批价下滑是风险。
如果批价跌破1600元,论点失效。
渠道库存是否已经见底?春节动销会如何?"""


class RecordingModel:
    """A large model that answers parts with what it is told, and keeps every prompt."""

    is_offline = False

    def __init__(self, says: Callable[[Prompt], Mapping[str, Any]]) -> None:
        self.prompts: list[Prompt] = []
        self._says = says

    def call(self, prompt: Prompt, *_: Any, **__: Any) -> Reply:
        """The scripted answer."""
        self.prompts.append(prompt)
        return Reply(json.dumps(self._says(prompt), ensure_ascii=False), "scripted", TokenUsage(0, 0))


def is_personal(prompt: Prompt) -> bool:
    """Whether a prompt asks for the thesis or the note: those alone may know who asks."""
    return "State in at most" in prompt.system or "Say in at most" in prompt.system


def is_for_a_part(prompt: Prompt) -> bool:
    """Whether a prompt asks for one of the impersonal parts."""
    return "Use only what stands in the material" in prompt.system


def answered(prompt: Prompt, **personal: Any) -> dict[str, Any]:
    """What satisfies whatever is asked for: a thesis, a note, a finding, and that nothing asks to act."""
    if is_for_a_part(prompt):
        return {"statements": [{"text": "A finding."}]}
    if not is_personal(prompt):
        return {"asking_to_act": []}
    written = {"note": "A note."} if "Say in" in prompt.system else {"thesis": "A thesis.", "watch_questions": []}
    return written | personal


def ask(user: User, prompt: str, route: str = "snapshot", **fields: Any) -> ResearchTask:
    """The user asks; nothing has run yet."""
    with acting_as(user.pk):
        return create_research_task(permit_for(user), user, TaskDraft(route, prompt, **fields))


def run(user: User, prompt: str, route: str = "snapshot", **fields: Any) -> ResearchTask:
    """The user asks, and the worker runs it."""
    task = ask(user, prompt, route, **fields)
    drain()
    return look(user, task.pk)


def look(user: User, task_id: UUID) -> ResearchTask:
    """The task as it is now."""
    with acting_as(user.pk):
        return task_lifecycle.task_of(permit_for(user), task_id)


def snapshot(user: User, task: ResearchTask) -> Snapshot:
    """What a snapshot task made."""
    assert task.result_id is not None, (task.state, task.error_code)
    with acting_as(user.pk):
        return results.snapshot_of(permit_for(user), task.result_id)


def texts(statements: list[dict[str, Any]]) -> list[str]:
    """The sentences of an array of statements."""
    return [one["text"] for one in statements]


def day(text: str) -> datetime:
    """Midnight UTC of a day."""
    return datetime.fromisoformat(f"{text}T00:00:00+00:00")
