"""A member who reads Chinese, with something of theirs behind every page."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import reverse
from django.utils import timezone

from consent.services import permit_for
from drift.services import give_feedback
from foundation.accounts.models import ChatGroup, Tenant, User
from foundation.accounts.services import issue_token
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.outbox.tasks import drain
from knowledge.bookmarks import add_bookmark
from knowledge.services import retire_entry
from memory.models import (
    ChatImport,
    CognitiveEvent,
    EvolutionProposal,
    MemoryItem,
    ResearchTask,
    Session,
    Thread,
    TrainingAssetCandidate,
)
from memory.research.profile_context import save_profile_context
from memory.research.types import CognitionObject, ResearchStatement
from tests.support.cast import allow, group_with
from tests.support.erasures import ask_to_forget
from tests.support.organisation import know
from tests.support.research import asked, snapshot_made, thread_kept
from tests.support.speaking import ask
from tests.support.talk import open_session
from tests.web.support import memory_of, signed_in, waiting_memory_of

SAID = ("我喜欢喝乌龙茶", "我住在杭州，养了一只猫", "我关注比特币", "你还记得我关注什么吗？")
QUESTION = (
    "我认为白酒的需求会上升。2026年2月1日公告显示收入增长 20%。但是库存也在上升。"
    "如果毛利率跌破 50%，就不成立。库存会降吗？"
)
RULES = ("周六九点开门。", "周日不开门。", "对外的数字都要写明来源。")
ALONE = (
    "chat", "chat_search", "threads", "ask", "memories", "over_time", "memory_add", "unsure", "events", "portraits",
    "voice", "privacy", "privacy_withdraw", "exports", "erasures", "forget_profile", "forget_learned",
    "forget_account", "settings", "tokens", "programs", "recovery_codes", "model", "groups", "imports", "web_sessions",
    "onboarding", "notice", "given_feedback", "training_candidates", "knowledge", "bookmarks", "long_tasks",
)  # fmt: skip


def pages_of(reader: User) -> list[str]:
    """The addresses of every page, once something stands on each."""
    User.objects.filter(pk=reader.pk).update(
        language="zh-hans", display_name="小林", time_zone="Asia/Shanghai", tenant=Tenant.objects.create(name="研究院")
    )
    reader.refresh_from_db()
    allow(reader)
    group = group_with(reader)
    ChatGroup.objects.filter(pk=group.pk).update(name="研究小组")
    issue_token(reader, "脚本")
    with acting_as(reader.pk):
        save_profile_context(permit_for(reader), {"user_focus_reason": "现金流", "language_preference": "zh"})
    session = _talk(reader)
    thread, made = _research(reader)
    item = memory_of(reader, "小林喜欢简短的回答")
    waiting_memory_of(reader, "小林可能去昆明", said="我可能去昆明")
    _rows(reader, item)
    _bookmarks(reader)
    tombstone = ask_to_forget(reader, timezone.now())
    return [
        *(reverse(f"web:{name}") for name in ALONE),
        reverse("web:chat_session", args=[session.pk]),
        reverse("web:forget_session", args=[session.pk]),
        reverse("web:chat_search") + "?q=乌龙茶",
        reverse("web:memory", args=[item.pk]),
        reverse("web:forget_memory", args=[item.pk]),
        *(reverse(f"web:{name}", args=[thread.pk]) for name in ("thread", "thread_close", "forget_thread")),
        reverse("web:thread_preferences", args=[thread.pk]),
        *made,
        *_remembered(reader),
        *_said_of_research(reader),
        reverse("web:portrait", args=["user", reader.pk]),
        reverse("web:group_leave", args=[group.pk]),
        reverse("web:erasure", args=[tombstone.pk]),
        reverse("web:certificate", args=[tombstone.pk]),
        "/nowhere/",
    ]


def _talk(reader: User) -> Session:
    """A chat with answers, learned from and ended; what happened in it became events and a portrait."""
    session = open_session(reader)
    for text in SAID:
        ask(reader, session, text)
        drain()
    signed_in(reader).post(reverse("web:chat_end", args=[session.pk]))
    drain()
    return session


def _research(reader: User) -> tuple[Thread, list[str]]:
    """A thread, and the pages of a task, of a snapshot, and of what can be said and done about them."""
    subject = CognitionObject("asset", "白酒")
    words = {
        "object": subject,
        "evidence": (ResearchStatement("收入增长。"),),
        "counter_thesis": (ResearchStatement("库存上升。"),),
        "invalidators": (ResearchStatement("毛利率下跌。"),),
        "watch_questions": ("库存会降吗？",),
        "data_quality_note": "仅依据提问。",
    }
    loose = snapshot_made(reader, "白酒需求上升。", **words)
    thread = thread_kept(reader, snapshot_made(reader, "白酒需求上升。", **words), title="白酒值得买吗")
    with acting_as(reader.pk):
        ResearchTask.objects.update(prompt="白酒现在怎么样？")
    done = asked(reader, QUESTION)
    drain()
    waiting = asked(reader, QUESTION)
    return thread, [
        *(reverse("web:task", args=[task.pk]) for task in (done, waiting)),
        reverse("web:forget_task", args=[done.pk]),
        reverse("web:snapshot", args=[loose.pk]),
        reverse("web:keep_snapshot", args=[loose.pk]),
    ]


def _said_of_research(reader: User) -> list[str]:
    """The pages on which feedback is forgotten, and an example for training taken back."""
    with acting_as(reader.pk):
        candidate = TrainingAssetCandidate.objects.latest("created_at")
        given = give_feedback(permit_for(reader), reader, candidate.object_ref, "helpful", "说得清楚")
    return [
        reverse("web:feedback_forget", args=[given.pk]),
        reverse("web:training_candidate_revoke", args=[candidate.pk]),
    ]


def _rows(reader: User, item: MemoryItem) -> None:
    """A memory offered to the organisation, and imports that ended well and badly."""
    with acting_as(reader.pk):
        permit = permit_for(reader)
        EvolutionProposal.objects.create(
            user=reader, item=item, chain_id=item.chain_id, tenant_id=reader.tenant_id or "", text="喜欢简短的回答",
            consent_version=permit.version,
        )  # fmt: skip
        trailing = {"reason": "trailing_text", "line": 1, "position": 2}
        for state, refusal in (("refused", trailing), ("done", {})):
            ChatImport.objects.create(user=reader, state=state, assistant="claude", reason_details=refusal, size=1)


def _bookmarks(reader: User) -> None:
    """Bookmarks of what the reader's organisation says: of an entry in force, of one that ended, and of one gone."""
    assert reader.tenant is not None
    entries = [know(reader.tenant, text, kind="rule", subject="门店", source="员工手册") for text in RULES]
    with acting_as(reader.pk):
        for entry in entries:
            add_bookmark(permit_for(reader), reader, entry.pk)
    with in_role(OPERATOR_ROLE):
        retire_entry(entries[0])
        entries[1].delete()


def _remembered(reader: User) -> Iterator[str]:
    with acting_as(reader.pk):
        events = list(CognitiveEvent.objects.filter(user=reader).values_list("event_id", flat=True)[:1])
    for event_id in events:
        yield reverse("web:event", args=[event_id])
        yield reverse("web:forget_event", args=[event_id])
