"""Recognises follow-ups on a listed statement: since when, from where, forget it, correct it. Pure.

Chinese and English, by the words of the whole message: "since when have you been open?" is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from foundation.language import ParsedMessage
from foundation.lexicon import read_lexicon
from foundation.text import tokenize

_WORDS: Final = read_lexicon(__file__)

FollowUpKind = Literal["since", "source", "forget", "forget_all", "correct"]
LONGEST: Final = 300
_POLITE: Final = _WORDS.pattern("polite")
_SINCE: Final = _WORDS.pattern("since")
_SOURCE: Final = _WORDS.pattern("source")
_FORGET: Final = _WORDS.of("en").pattern("forget")
_FORGET_ZH: Final = _WORDS.of("zh").pattern("forget")
_POINTING: Final = _WORDS.pattern("pointing")
_EVERYTHING: Final = _WORDS.pattern("everything")
_WRONG: Final = _WORDS.of("en").pattern("wrong")
_WRONG_ZH: Final = _WORDS.of("zh").pattern("wrong")
_INSTEAD: Final = _WORDS.of("en").pattern("instead")
_INSTEAD_ZH: Final = _WORDS.of("zh").pattern("instead")
_ORDINALS: Final = _WORDS.numbers("ordinals")
_ORDINAL: Final = _WORDS.pattern("ordinal")
LAST: Final = -1


@dataclass(frozen=True, slots=True)
class FollowUp:
    """What the user wants. ``ordinal`` counts from 1 where a list entry is named, -1 for the last, 0 for none;
    ``words`` say which statement otherwise; ``value`` is the right value, "" where it is not given.
    """

    kind: FollowUpKind
    ordinal: int = 0
    words: str = ""
    value: str = ""

    @property
    def is_pointing(self) -> bool:
        """Whether it refers to what was just said without naming it."""
        return not self.ordinal and not self.words


def read_followup(message: ParsedMessage) -> FollowUp | None:
    """The follow-up that a message asks, or None. Linear in the length of the message."""
    if len(message.text) > LONGEST:
        return None
    whole = message.spoken
    said = _strip_politeness(whole)
    if _SINCE.fullmatch(said):
        return FollowUp("since")
    if _SOURCE.fullmatch(said):
        return FollowUp("source")
    wanted = _read_forget(said) or _read_correction(whole) or _read_correction(said)
    return replace(wanted, value=_as_written(wanted.value, message.text)) if wanted and wanted.value else wanted


def match_words(words: str, texts: Sequence[str]) -> list[int]:
    """Indices of the texts meant by ``words``: those that hold all their content terms, else most of them."""
    wanted = frozenset(tokenize(words))
    if not wanted:
        return []
    shares = [len(wanted & frozenset(tokenize(text))) / len(wanted) for text in texts]
    best = max(shares, default=0.0)
    return [number for number, share in enumerate(shares) if share == best and share > 1 / 2]


def _as_written(value: str, text: str) -> str:
    """The value in the capitalisation of the message."""
    at = text.casefold().find(value.casefold())
    return text[at : at + len(value)] if at >= 0 else value


def _strip_politeness(text: str) -> str:
    """The text without polite phrases and closing punctuation."""
    shorter = _POLITE.sub("", text)
    return shorter.strip(" ,.!?;:，。！？；：~～") or text


def _read_forget(said: str) -> FollowUp | None:
    match = _FORGET.match(said) or _FORGET_ZH.match(said)
    if match is None:
        return None
    what = (match["what"] or match["kept"] or "").strip(" ,.!?;:，。！？；：")
    if _EVERYTHING.fullmatch(what):
        return FollowUp("forget_all")
    ordinal, left = _split_ordinal(what)
    words = "" if _POINTING.fullmatch(left) else left
    return FollowUp("forget", ordinal, "" if ordinal else words)


def _read_correction(said: str) -> FollowUp | None:
    match = _WRONG.match(said) or _WRONG_ZH.match(said)
    if match is None:
        return None
    found = match.groupdict()
    rest = found.get("rest") or found.get("no") or ""
    ordinal = _split_ordinal(found.get("ordinal") or "")[0]
    instead = _INSTEAD.match(rest) or _INSTEAD_ZH.match(rest)
    if instead is None and rest.strip(" ,.!?;:，。！？；：的了啊呀"):
        return None  # a whole sentence, which learning reads
    return FollowUp("correct", ordinal, value=instead["value"].strip() if instead else "")


def _split_ordinal(what: str) -> tuple[int, str]:
    match = _ORDINAL.search(what)
    if match is None:
        return 0, what
    left = f"{what[: match.start()]} {what[match.end() :]}".strip()
    if match["last"] or match["en"] == "last":
        return LAST, left
    word = match["en"] or match["zh"] or match["number"]
    return (int(word) if word.isdigit() else _ORDINALS.get(word, 0)), left
