"""Fixed sentences on skills, in both languages."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import Final, Literal

from finclaw.brain.boundary import BoundaryRefused
from finclaw.brain.material.objective import Language
from foundation.sanitization.prompt_text import NOTHING, own_words
from foundation.sanitization.types import SafeText
from memory.models import Route

SkillTextKey = Literal[
    "started", "not_covered", "temporary", "which_thread", "which_object", "own_thread", "never_acts", "boundary"
]
_Texts = MappingProxyType[str, str]
_NEVER_ACTS: Final = "FinClaw只提供信息和建议，从不下单、签名或转发订单。没有执行任何操作。可以问我你想权衡的内容。"
_SAID: Final = MappingProxyType[Language, _Texts](
    {
        "en": _Texts(
            {
                "started": "Started: {what}. It runs in the background, and the page “Ask” shows how far it is.",
                "not_covered": "What you ask for is beyond what I can do at present, but we can talk about it.",
                "temporary": "This chat is temporary, and research is kept: nothing was started. Ask for it on the page"
                " “Ask”, or in a chat that is not temporary.",
                "which_thread": "I cannot tell which of your threads you mean, so nothing was started. Open it on the"
                " page “Threads” and look at it again from there, or name it here.",
                "which_object": "I cannot tell what this is to be about, so nothing was started. Say it in the same"
                " message, with what you have read, and I begin.",
                "own_thread": "this chat's thread",
                "never_acts": BoundaryRefused.default_message,
                "boundary": f"{BoundaryRefused.default_message} Nothing of this message was kept in memory.",
            }
        ),
        "zh": _Texts(
            {
                "started": "已开始：{what}。它在后台运行，进度在“Ask”（提问）页面。",
                "not_covered": "关于这个需求，我目前的能力还覆盖不到，但我可以和你聊聊。",
                "temporary": "这是临时对话，而研究会被保存，所以没有开始。请在“Ask”（提问）页面或非临时对话中提出。",
                "which_thread": "我不确定你指的是哪个线程，所以没有开始。请在“Threads”（线程）页面打开它再看一次，"
                "或者在这里说出它的名字。",
                "which_object": "我不确定要研究的是什么，所以没有开始。请在同一条消息里说明，并附上你读到的内容。",
                "own_thread": "这个对话的线程",
                "never_acts": _NEVER_ACTS,
                "boundary": f"{_NEVER_ACTS}这条消息里的任何内容都没有记入记忆。",
            }
        ),
    }
)
_WHAT: Final = MappingProxyType[Language, _Texts](
    {
        "en": _Texts(
            {
                Route.SNAPSHOT: "Snapshot of {name}",
                Route.THREAD_REFRESH: "Another look at the thread “{name}”",
                Route.RISK_CHALLENGE: "Risk challenge of {name}",
                Route.PRE_EXECUTION: "Check before acting on {name}",
                Route.EVIDENCE_AUDIT: "Evidence audit of {name}",
                Route.NARRATIVE_MAPPER: "Map of the narratives about {name}",
                Route.EVENT_IMPACT_READER: "What {name} may lead to",
            }
        ),
        "zh": _Texts(
            {
                Route.SNAPSHOT: "快照：{name}",
                Route.THREAD_REFRESH: "再看一次线程：{name}",
                Route.RISK_CHALLENGE: "风险挑战：{name}",
                Route.PRE_EXECUTION: "行动前的检查：{name}",
                Route.EVIDENCE_AUDIT: "证据审计：{name}",
                Route.NARRATIVE_MAPPER: "叙事图谱：{name}",
                Route.EVENT_IMPACT_READER: "影响解读：{name}",
            }
        ),
    }
)
_OFFER: Final = MappingProxyType(
    {
        Route.SNAPSHOT: "a snapshot of something",
        Route.THREAD_REFRESH: "another look at one of their threads",
        Route.RISK_CHALLENGE: "a risk challenge of a view",
        Route.PRE_EXECUTION: "a check before acting",
        Route.EVIDENCE_AUDIT: "an audit of evidence",
        Route.NARRATIVE_MAPPER: "a map of the narratives",
        Route.EVENT_IMPACT_READER: "a reading of an event's impact",
    }
)


def phrase(language: Language, key: SkillTextKey) -> str:
    """A fixed sentence."""
    return _SAID[language][key]


def describe_started(language: Language, skill: str, name: str) -> str:
    """What was started, and where to follow it."""
    return _SAID[language]["started"].format(what=_WHAT[language][skill].format(name=name))


def describe_offered(skills: Iterable[str]) -> SafeText:
    """What the prompt tells the model about the skills on offer, "" without any (layer 5)."""
    names = [_OFFER[Route(name)] for name in Route.values if name in frozenset(skills)]
    if not names:
        return NOTHING
    return own_words(
        "When the person asks in plain words for one of these, it is started for them before you speak:"
        f" {'; '.join(names)}. You may say that they can ask; never say that you started one."
    )
