"""Whatever a persona document, memory, event, portrait, message or anything else says: the safety policy stands first,
whole and to the byte, every layer stands in its place, and no text leaves the tag it stands in.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Final
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finclaw.brain.prompt.guides import ANSWER_GUIDE, MEMORY_GUIDE
from finclaw.brain.prompt.layers import (
    NEUTRAL_IDENTITY,
    SAFETY_POLICY,
    PromptParts,
    build_prompt,
)
from finclaw.brain.prompt.setting import TurnSetting
from finclaw.brain.types import CandidateKind, Intent, PromptCandidate
from foundation.llm import Message, Prompt
from foundation.llm.prompt_elements import learning_is_on, remembered_statements
from foundation.sanitization.prompt_text import as_message
from foundation.sanitization.types import SafeText
from knowledge.types import Snippet
from personas.prompt_layers import build_persona_context
from personas.types import ModeInForce, PersonaContext, PersonaText, PersonaTexts, Preference, RoleTone
from tests.support.hostile import HOSTILE

CAP: Final = 1_500
MOMENT: Final = datetime(2026, 1, 15, tzinfo=UTC)
LAYER_OF: Final = {
    "user_preferences": 3, "memory_usage_guide": 6, "setting": 6, "knowledge": 7, "profile": 8, "user_memory": 8,
    "entities": 9, "user_context": 10,
}  # fmt: skip
_GUIDE: Final = "<memory_usage_guide></memory_usage_guide>"
_TAG = re.compile(r"<(/?)([A-Za-z_|]+)[^<>]*>")
texts = st.text(max_size=400) | st.builds("{}{}{}".format, st.text(max_size=80), st.sampled_from(HOSTILE), st.text())


def persona_of(text: str) -> PersonaContext:
    """Every part of a persona that somebody writes."""
    documents = PersonaTexts(
        PersonaText("soul", text, 1), PersonaText("identity", text, 1), PersonaText("user", text, 1)
    )
    preference = Preference(uuid4(), "reply_tone", text, 0.9, "explicit", text, uuid4(), MOMENT)
    state = ModeInForce("hybrid", "user", MOMENT, 3, notes=text, wishes=((text, text),))
    return build_persona_context(documents, [preference], state, RoleTone((text,), "knowledge"), cap=CAP)


def memory(kind: CandidateKind, text: str) -> PromptCandidate:
    return PromptCandidate(
        kind, uuid4(), text, 1.0, 10, MOMENT, said_by=text, category=text, provenance=text, epistemic_type=text,
        confidence=0.9, sanitization="pass",
    )  # fmt: skip


def everywhere(text: str) -> PromptParts:
    """A prompt in which ``text`` stands wherever text from outside can stand."""
    safe = SafeText(text)  # what sanitization might let pass
    return PromptParts(
        message=text,
        intent=Intent("research", 1.0),
        memories=[memory("profile", text), memory("item", text), memory("event", text), memory("turn", text)],
        context={"language_preference": safe, "research_depth": safe, "risk_prompt_preference": safe},
        entity_slots={safe: [safe, safe]},
        summaries=[safe],
        recent=[Message("user", as_message(text)), Message("assistant", as_message(text))],
        knowledge=[Snippet(uuid4(), text, text, text, text, text, 1, 1.0)],
        hints=[safe],
        persona=persona_of(text),
        setting=TurnSetting(MOMENT, "UTC", place=safe, person=safe),
    )


def stands_in_order(parts: PromptParts, prompt: Prompt) -> None:
    system = prompt.system
    assert system.encode(errors="surrogatepass").startswith(SAFETY_POLICY.encode() + b"\n\n")
    own_tags = system.replace(SAFETY_POLICY, "").replace(MEMORY_GUIDE, _GUIDE).replace(ANSWER_GUIDE, "")
    tags = [(mark == "/", name) for mark, name in _TAG.findall(own_tags + prompt.context)]
    assert [closes for closes, _ in tags] == [False, True] * (len(tags) // 2), "every tag is closed before the next"
    assert all(opened[1] == closed[1] for opened, closed in zip(tags[::2], tags[1::2], strict=True))
    layers = [LAYER_OF[name] for _, name in tags]
    assert layers == sorted(layers)
    assert [name for _, name in tags[::2]].count("user_memory") == 1
    assert prompt.context.count("\n- [") == 3
    persona = parts.persona
    own = [persona.core_prompt or NEUTRAL_IDENTITY, persona.user_pref_prompt, persona.mode_prompt, ANSWER_GUIDE]
    assert system.startswith("\n\n".join([SAFETY_POLICY, *filter(None, own), MEMORY_GUIDE]))
    message = as_message(parts.message)
    assert prompt.messages[-1] == Message("user", message)
    assert prompt.turns[-1].content.endswith("\n\n".join(filter(None, ("</context>", message))))
    assert prompt.turns[-1].content.count("</context>") == 1
    assert prompt.opening.count("<") == 2
    assert "<" not in prompt.guidance


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_nothing_hostile_moves_the_policy_or_leaves_its_place(text: str) -> None:
    parts = everywhere(text)
    stands_in_order(parts, build_prompt(parts))


@settings(deadline=None)
@given(texts)
def test_no_text_at_all_moves_the_policy_or_leaves_its_place(text: str) -> None:
    parts = everywhere(text)
    stands_in_order(parts, build_prompt(parts))


@settings(deadline=None)
@given(texts)
def test_the_personas_layers_keep_within_their_cap(text: str) -> None:
    persona = persona_of(text)
    assert sum(map(len, (persona.core_prompt, persona.user_pref_prompt, persona.mode_prompt))) <= CAP


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_text_passes_for_a_memory_or_for_our_word_on_learning(text: str) -> None:
    parts = replace(everywhere(text), memories=(), recent=())
    prompt = build_prompt(parts)
    assert remembered_statements(prompt) == []
    assert learning_is_on(prompt)


def test_the_lines_tried_are_many_and_in_both_languages() -> None:
    chinese = [text for text in HOSTILE if re.search("[\u4e00-\u9fff]", text)]
    assert len(set(HOSTILE)) >= 40
    assert len(chinese) >= 15
    assert len(set(HOSTILE)) - len(chinese) >= 20


def test_layers_without_content_are_left_out_and_the_others_keep_their_order() -> None:
    parts = everywhere("harmless")
    bare = replace(parts, knowledge=(), memories=(), entity_slots={}, summaries=())
    prompt = build_prompt(bare)
    marks = [SAFETY_POLICY, parts.persona.core_prompt, "<user_preferences>", ANSWER_GUIDE, MEMORY_GUIDE]
    places = [prompt.system.index(mark) for mark in marks]
    assert all(first < second for first, second in pairwise(places))
    assert re.findall("<[a-z_]+>", prompt.context) == ["<setting>", "<user_context>"]
    assert not prompt.opening
