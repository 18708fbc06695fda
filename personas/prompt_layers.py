"""Builds the persona layers of a prompt (core, user preferences, mode and tone) within a cap of characters. Pure.

The prompt's safety rules stand before these layers and are built elsewhere. No document can close the tag around it, or
place text before its own layer. Whatever does not fit is cut at the end of a sentence, and the result says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from foundation.language import split_sentences
from foundation.sanitization.prompt_text import (
    NOTHING,
    escape_text,
    join_texts,
    strip_text,
    truncate_text,
    trusted_text,
)
from foundation.sanitization.services import sanitize, sanitize_lines
from foundation.sanitization.types import SafeText
from personas.types import ContextMeta, ModeInForce, PersonaContext, PersonaText, PersonaTexts, Preference, RoleTone
from personas.wording import MODE_PROMPTS, PREFERENCES, TONE_ONLY

MODE_SHARE: Final = 1 / 2
"""The largest share of the cap for mode and tone, because an organisation's rules may be long."""
PREFERENCE_SHARE: Final = 1 / 3
"""The share of the cap reserved for the user's own wishes, however long the organisation's documents are."""
_OPEN, _CLOSE = trusted_text("<user_preferences>\n"), trusted_text("\n</user_preferences>")
_HEED: Final = trusted_text("\nThis is how the person wants to be served: heed it within the rules above.")


@dataclass(frozen=True)
class _PromptLayer:
    text: SafeText = NOTHING
    sources: tuple[str, ...] = ()
    cut: bool = False


def build_persona_context(
    documents: PersonaTexts, preferences: Sequence[Preference], state: ModeInForce, tone: RoleTone, *, cap: int
) -> PersonaContext:
    """The three persona layers, together at most ``cap`` characters, without lines that sanitization blocks.

    The mode gets room first, up to half the cap; then the core, except for the third that the user's own wishes may
    need; then these wishes.
    """
    heeded = [preference for preference in preferences if preference.key not in tone.overruled]
    mode = _mode_layer(state, tone, int(cap * MODE_SHARE))
    room = cap - len(mode.text)
    wanted = len(_preference_layer(documents.user, heeded, room)[0].text)
    core = _core_layer(documents, room - min(wanted, int(cap * PREFERENCE_SHARE)))
    chosen, hits = _preference_layer(documents.user, heeded, room - len(core.text))
    return PersonaContext(
        core_prompt=core.text,
        user_pref_prompt=chosen.text,
        mode_prompt=mode.text,
        sources=(*core.sources, *chosen.sources),
        meta=ContextMeta(state.mode, hits, truncated=core.cut or chosen.cut or mode.cut),
    )


def fitting_sentences(text: SafeText, room: int) -> SafeText:
    """The longest run of whole sentences from the beginning of ``text``, escaped, that fits in ``room``."""
    whole = escape_text(strip_text(text), quote=False)
    if len(whole) <= room:
        return whole
    kept = read = size = 0
    begin = len(text) - len(text.lstrip())
    for sentence in split_sentences(text):
        end = text.index(sentence, read) + len(sentence)
        size += len(escape(text[max(read, begin) : end], quote=False))
        if size > room:
            break
        kept = read = end
    return escape_text(strip_text(truncate_text(text, kept)), quote=False)


def _core_layer(documents: PersonaTexts, room: int) -> _PromptLayer:
    texts, sources, cut = list[SafeText](), list[str](), False
    for document in (documents.soul, documents.identity):
        left = room - sum(map(len, texts)) - len(texts)
        body = sanitize_lines(document.body).text
        text = fitting_sentences(body, left)
        cut |= _is_cut(body, text)
        if text:
            texts.append(text)
            sources.append(document.source)
    return _PromptLayer(join_texts("\n", texts), tuple(sources), cut)


def _preference_layer(document: PersonaText, preferences: Iterable[Preference], room: int) -> tuple[_PromptLayer, int]:
    """The preference layer and how many preferences it holds: learned ones before the document's prose."""
    left = room - len(_OPEN) - len(_CLOSE) - len(_HEED)
    lines, sources, cut = list[SafeText](), list[str](), False
    for preference in preferences:
        wish = sanitize(preference.text).text
        if not wish:
            continue
        line = join_texts("- ", (NOTHING, escape_text(wish, quote=False)))
        if len(line) + 1 > left:
            cut = True
            continue
        lines.append(line)
        sources.append(preference.reference)
        left -= len(line) + 1
    hits = len(lines)
    body = sanitize_lines(document.body).text
    text = fitting_sentences(body, left)
    if text:
        lines.insert(0, text)
        sources.insert(0, document.source)
    cut |= _is_cut(body, text)
    whole = join_texts("", (_OPEN, join_texts("\n", lines), _CLOSE, _HEED)) if lines else NOTHING
    return _PromptLayer(whole, tuple(sources), cut), hits


def _mode_layer(state: ModeInForce, tone: RoleTone, room: int) -> _PromptLayer:
    """The mode layer: sentences for the mode, this conversation's wishes, and the role's tone, which an organisation
    may have written.
    """
    wishes = (PREFERENCES[wish]["en"] for wish in state.wishes if wish in PREFERENCES and wish[0] not in tone.overruled)
    sentences = [
        MODE_PROMPTS[state.mode],
        TONE_ONLY,
        *(f"In this conversation: {wish_text}" for wish_text in wishes),
        *tone.lines,
    ]
    texts, left, cut = list[SafeText](), room, False
    for sanitized in map(sanitize, sentences):
        text = fitting_sentences(sanitized.text, left)
        cut |= _is_cut(sanitized.text, text)
        if text:
            texts.append(text)
            left -= len(text) + 1
    return _PromptLayer(join_texts("\n", texts), cut=cut)


def _is_cut(whole: SafeText, shown: SafeText) -> bool:
    return shown != escape_text(strip_text(whole), quote=False)
