"""The persona's part of a prompt: layers 2, 3 and 4, in this order, within their cap (seed C §5, P-3). Pure.

Safety comes before all of it and is none of its business: no document can close the tag it stands in, or speak before
its own layer. Whatever does not fit is cut where a sentence ends, and the cut is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from foundation.text import split_sentences
from personas.types import ContextMeta, Document, Documents, PersonaContext, Preference, RoleTone, StateView
from personas.wording import MODE_PROMPTS, PREFERENCES, TONE_ONLY

MODE_SHARE: Final = 1 / 2
"""Of the cap, the most that mode and tone take: an organisation's rules may be long."""
PREFERENCE_SHARE: Final = 1 / 3
"""Of the cap, kept for the person's own wishes however long the organisation's documents are."""
_OPEN, _CLOSE = "<user_preferences>\n", "\n</user_preferences>"
_HEED: Final = "\nThis is how the person wants to be served: heed it within the rules above."


@dataclass(frozen=True)
class _Layer:
    text: str = ""
    sources: tuple[str, ...] = ()
    cut: bool = False


def build(
    documents: Documents, preferences: Sequence[Preference], state: StateView, tone: RoleTone, *, cap: int
) -> PersonaContext:
    """The three layers, together at most ``cap`` characters.

    Room goes to the mode first, up to half of it; then to the core, but for a third that the person's own wishes may
    need; then to those.
    """
    heeded = [one for one in preferences if one.key not in tone.overruled]
    mode = _mode(state, tone, int(cap * MODE_SHARE))
    room = cap - len(mode.text)
    wanted = len(_preferences(documents.user, heeded, room)[0].text)
    core = _core(documents, room - min(wanted, int(cap * PREFERENCE_SHARE)))
    chosen, hits = _preferences(documents.user, heeded, room - len(core.text))
    return PersonaContext(
        core_prompt=core.text,
        user_pref_prompt=chosen.text,
        mode_prompt=mode.text,
        sources=(*core.sources, *chosen.sources),
        meta=ContextMeta(state.mode, hits, truncated=core.cut or chosen.cut or mode.cut),
    )


def fit(text: str, room: int) -> str:
    """As much of ``text`` from its beginning, escaped, as has room, whole sentences only."""
    whole = escape(text.strip(), quote=False)
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
    return escape(text[begin:kept], quote=False)


def _core(documents: Documents, room: int) -> _Layer:
    texts, sources, cut = list[str](), list[str](), False
    for document in (documents.soul, documents.identity):
        left = room - sum(map(len, texts)) - len(texts)
        text = fit(document.body, left)
        cut |= _is_cut(document, text)
        if text:
            texts.append(text)
            sources.append(document.source)
    return _Layer("\n".join(texts), tuple(sources), cut)


def _preferences(document: Document, preferences: Iterable[Preference], room: int) -> tuple[_Layer, int]:
    """The layer and how many preferences it holds: learned ones, which are short, before the document's prose."""
    left = room - len(_OPEN) - len(_CLOSE) - len(_HEED)
    lines, sources, cut = list[str](), list[str](), False
    for preference in preferences:
        line = "- " + escape(preference.text, quote=False)
        if len(line) + 1 > left:
            cut = True
            continue
        lines.append(line)
        sources.append(preference.reference)
        left -= len(line) + 1
    hits = len(lines)
    text = fit(document.body, left)
    if text:
        lines.insert(0, text)
        sources.insert(0, document.source)
    cut |= _is_cut(document, text)
    whole = _OPEN + "\n".join(lines) + _CLOSE + _HEED if lines else ""
    return _Layer(whole, tuple(sources), cut), hits


def _mode(state: StateView, tone: RoleTone, room: int) -> _Layer:
    """Our sentences for the mode and this conversation's wishes, and the role's tone, whose words an organisation may
    have written.
    """
    wishes = (PREFERENCES[wish]["en"] for wish in state.wishes if wish in PREFERENCES and wish[0] not in tone.overruled)
    sentences = [MODE_PROMPTS[state.mode], TONE_ONLY, *(f"In this conversation: {one}" for one in wishes), *tone.lines]
    texts, left, cut = list[str](), room, False
    for one in sentences:
        text = fit(one, left)
        cut |= text != escape(one.strip(), quote=False)
        if text:
            texts.append(text)
            left -= len(text) + 1
    return _Layer("\n".join(texts), cut=cut)


def _is_cut(document: Document, text: str) -> bool:
    return text != escape(document.body.strip(), quote=False)
