"""Fixed conversations whose whole prompts are compared and counted: what was said, recalled and known in each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final, cast
from uuid import UUID
from zoneinfo import ZoneInfo

from finclaw.brain.prompt.budget import ModelLimits, cut_by_priority
from finclaw.brain.prompt.composition import ComposedPrompt, compose_prompt
from finclaw.brain.prompt.layers import PromptParts
from finclaw.brain.prompt.setting import TurnSetting
from finclaw.brain.recall.search import resized
from finclaw.brain.types import CandidateKind, Intent, PromptCandidate
from foundation.llm import Message, Prompt
from foundation.llm.wire_format import chat_messages
from foundation.sanitization.types import SafeText
from knowledge.types import Snippet
from memory.types import ASSISTANT
from personas.prompt_layers import build_persona_context
from personas.services.documents import core_documents
from personas.types import (
    DocumentKind,
    ModeInForce,
    PersonaContext,
    PersonaText,
    PersonaTexts,
    Preference,
    RoleTone,
)

LIMITS: Final = ModelLimits(32_000, 2_000)
_SHIPPED: Final = core_documents(())


def row(number: int) -> UUID:
    return UUID(int=number)


def candidate(kind: CandidateKind, number: int, day: str, text: str, **fields: Any) -> PromptCandidate:
    """Something recalled, as relevant, the earlier ones before the later ones."""
    moment = datetime.fromisoformat(f"{day}T20:30:00+00:00")
    bare = PromptCandidate(kind, row(number), text, 1 / number, 0, moment, sanitization="pass")
    return resized(replace(bare, **fields))


def item(number: int, day: str, text: str, confidence: float = 0.9, **fields: Any) -> PromptCandidate:
    origin = "confirmed_by_user" if confidence > 0.8 else "analysis" if confidence > 0.6 else "observation"
    values = {"confidence": confidence, "provenance": origin, "epistemic_type": "fact", "category": "memory"} | fields
    return candidate("item", number, day, text, **values)


def turn(number: int, day: str, text: str, said_by: str = "user", **fields: Any) -> PromptCandidate:
    return candidate("turn", number, day, text, said_by=said_by, **fields)


def said(*texts: str) -> tuple[Message, ...]:
    """Messages of a conversation, the user's and the assistant's in turn."""
    roles = ("user", "assistant")
    return tuple(Message(cast("Any", roles[number % 2]), SafeText(text)) for number, text in enumerate(texts))


def persona(
    documents: Mapping[DocumentKind, str] | None = None, wishes: Sequence[str] = (), mode: str = "hybrid"
) -> PersonaContext:
    """The persona of shipped documents, with others in their place."""
    told = {kind: PersonaText(kind, body, 1) for kind, body in (documents or {}).items()}
    texts = PersonaTexts(
        told.get("soul", _SHIPPED["soul"]), told.get("identity", _SHIPPED["identity"]),
        told.get("user", PersonaText("user")),
    )  # fmt: skip
    moment = datetime(2026, 1, 5, tzinfo=UTC)
    preferences = [
        Preference(row(900 + number), "reply_tone", "warm", 0.9, "explicit", wish, row(900 + number), moment)
        for number, wish in enumerate(wishes)
    ]
    return build_persona_context(
        texts, preferences, ModeInForce(cast("Any", mode), "default"), RoleTone((), "default"), cap=1_500
    )


@dataclass(frozen=True)
class PromptCase:
    """A turn of a conversation: its parts, and what was recalled for it."""

    name: str
    parts: PromptParts
    candidates: tuple[PromptCandidate, ...] = ()

    def compose(self) -> ComposedPrompt:
        return compose_prompt(self.parts, self.candidates, LIMITS, cut_by_priority)

    def following(self) -> PromptCase:
        """The next turn of the conversation: another question, on which one memory fewer is found."""
        told = said(self.parts.message, "All right.")
        parts = replace(self.parts, message="And what else?", recent=(*self.parts.recent, *told))
        return PromptCase(self.name, parts, self.candidates[1:])


def setting(zone: str, **fields: SafeText) -> TurnSetting:
    """A Friday evening in Europe."""
    now = datetime(2026, 11, 27, 17, 45, tzinfo=UTC).astimezone(ZoneInfo(zone))
    return TurnSetting(now, zone, **fields)


def turn_parts(message: str, intent: str = "chat", **fields: Any) -> PromptParts:
    values: dict[str, Any] = {
        "message": message, "intent": Intent(cast("Any", intent), 1.0), "memories": (), "context": {},
        "entity_slots": {}, "summaries": (), "recent": (), "persona": persona(),
        "setting": setting("Europe/Berlin", person=SafeText("Alice")),
        "skills": SafeText(
            "When the person asks in plain words for one of these, it is started for them before you speak: "
            "a snapshot of something; a risk challenge of a view. You may say that they can ask; never say that you "
            "started one."
        ),
    }  # fmt: skip
    return PromptParts(**(values | fields))


_ENGLISH: Final = PromptCase(
    "english",
    turn_parts(
        "Should I move the rest of my savings before we leave for Lisbon?",
        "research",
        context={"research_depth": SafeText("deep"), "risk_prompt_preference": SafeText("risk_first")},
        entity_slots={SafeText("tickers"): [SafeText("NVDA"), SafeText("VWCE")]},
        summaries=[SafeText("The user compared two savings accounts and asked about the notice period.")],
        recent=said("Morning! Is the transfer limit still 5,000?", "Good morning. Yes, 5,000 a day as far as I know."),
    ),
    (
        candidate("profile", 1, "2026-11-20", "## Money\nSaves for a flat.\n## Travel\nFlies rarely.", category="user"),
        item(2, "2026-03-02", "I can't afford to lose my savings, they're for the flat", said_in=(row(6),),
             epistemic_type="preference", slot="risk", category="risk"),
        item(3, "2026-10-11", "Is moving to Lisbon with Tom & the kids", 0.7, said_in=(row(7),), is_asked_for=True),
        item(4, "2026-05-19", "Thinks savings accounts pay too little", 0.5, epistemic_type="opinion"),
        candidate("event", 5, "2026-11-03", "On 3 November 2026 Alice moved 8,000 euros to a savings account."),
        turn(6, "2026-03-02", "I can't afford to lose my savings, they're for the flat."),
        turn(7, "2026-10-11", "We're moving to Lisbon in March, Tom & the kids too. The savings account has a notice "
             "period of 90 days."),
        turn(8, "2026-03-02", "Understood: you can't afford to lose your savings, they're for the flat.", ASSISTANT),
        turn(9, "2025-02-01", "My savings are with the Volksbank.", is_past=True),
    ),
)  # fmt: skip
_CHINESE: Final = PromptCase(
    "chinese",
    turn_parts(
        "我下个月去杭州,还要不要继续定投?",
        "research",
        context={"language_preference": SafeText("zh")},
        setting=setting("Asia/Shanghai", place=SafeText("上海"), person=SafeText("小李")),
        recent=said("你好", "你好!今天想聊点什么?"),
    ),
    (
        item(1, "2026-04-18", "每月定投2000元沪深300指数基金", said_in=(row(4),), category="定投"),
        item(2, "2026-09-30", "不喜欢波动大的股票", 0.5, epistemic_type="preference"),
        candidate("event", 3, "2026-11-12", "2026年11月12日,小李卖出了100股贵州茅台。"),
        turn(4, "2026-04-18", "我每月定投2000元沪深300指数基金。"),
    ),
)
_GROUP: Final = PromptCase(
    "group",
    turn_parts(
        "So when do we meet, and who brings the figures?",
        entity_slots={SafeText("group"): [SafeText("Investment club")]},
        recent=(
            Message("user", SafeText("Bob: I can do Fridays only.")),
            Message("assistant", SafeText("Noted, Fridays suit Bob.")),
            Message("user", SafeText("Carol: [removed]")),
            Message("assistant", SafeText("I cannot do that.")),
        ),
        skills=SafeText(""),
        context={},
    ),
    (
        candidate("profile", 1, "2026-11-01", "Meets on Fridays at Bob's.", category="group"),
        candidate("event", 2, "2026-11-20", "On 20 November 2026 the club agreed to meet on 4 December 2026."),
        turn(3, "2026-11-13", "I will bring the figures for the third quarter", "user"),
    ),
)
_TOOLS: Final = PromptCase(
    "with_tools",
    turn_parts(
        "I sold half of my gold on Monday. What did I say about it in spring?",
        "memory_check",
        ends_turn=True,
        knowledge=[Snippet(row(30), "rule", "", "", "Gold certificates are traded until 17:30.", "manual", 1, 0.9)],
        hints=[SafeText("Look up past conversations when asked what was said.")],
    ),
    (turn(1, "2026-04-02", "Gold is only a hedge for me, never more than 5 percent."),),
)
_FIRST: Final = PromptCase("first_message", turn_parts("Hi there!", "small_talk", may_learn=False))
_PERSONA: Final = PromptCase(
    "persona",
    turn_parts(
        "What should I read tonight?",
        persona=persona(
            {
                "soul": "You are Iris, a bookseller of forty years. You speak warmly and recommend one book at a time.",
                "identity": "You work for Bookshop Iris in Hamburg.",
                "user": "Call me Lee. No thrillers, please.",
            },
            ["Wants short, concise answers."],
            "idol",
        ),
        was_read=False,
        skills=SafeText(""),
    ),
)
_ANSWER: Final = "A savings account with a notice period pays a little more, and is as safe as one without."
_TALK: Final = tuple(f"And what about offer {number}, is it any better than the one before?" for number in range(1, 13))
LONG: Final = PromptCase(
    "long",
    replace(_ENGLISH.parts, recent=said(*(text for asked in _TALK for text in (asked, _ANSWER)))),
    _ENGLISH.candidates,
)
"""The English conversation after twelve more turns: for counting, not for reading."""
CASES: Final = (_ENGLISH, _CHINESE, _GROUP, _TOOLS, _FIRST, _PERSONA)


def as_read(prompt: Prompt) -> str:
    """The prompt as a model's server gets it, for people to read."""
    return "\n".join(f"=== {message['role']}\n{message['content']}" for message in chat_messages(prompt, None)) + "\n"
