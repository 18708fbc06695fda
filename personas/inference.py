"""What a message says about how its person wants to be spoken to, by rules, English and Chinese (seed C §7). Pure.

Quoted speech and what the assistant repeated are not the person's own words. A command is a clause of its own; what a
message is about suggests a mode, where no two suggestions disagree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from foundation.text import normalize, split_sentences
from memory.evolution.clauses import is_chinese, without_echoes
from personas import rules_en, rules_zh
from personas.rules import DEFAULT, Rules
from personas.types import Inferred, Mode, ModeRequest, Signal

LONGEST_WISH: Final = 80
"""Characters of a clause. A longer one tells something, and does not wish for a form."""
_MARKS: Final = " \t.。!！?？~～…:：\"'"
_ANSWER_TO: Final[dict[tuple[str, str], Mode]] = {("reply_tone", "plain"): "rational", ("reply_tone", "warm"): "hybrid"}
"""The mode in which an objection to the tone is heard at once, before anybody confirms that it is to last."""

_Wish = tuple[Signal | None, ModeRequest | None]


def infer(text: str) -> Inferred:
    """The mode asked for, else the one suggested; and the signals, the last of each key."""
    own = without_echoes(text)
    signals: dict[str, Signal] = {}
    request: ModeRequest | None = None
    for sentence in split_sentences(own):
        for signal, asked in _wishes(sentence):
            request = asked or request
            if signal is not None:
                signals[signal.key] = signal
    return Inferred(request or _suggested(own), tuple(signals.values()))


@dataclass(frozen=True)
class _Clause:
    """A clause read. ``empty`` says nothing but how long something is to hold, or whom it is said to."""

    wishes: tuple[_Wish, ...]
    lasts: bool
    empty: bool

    @property
    def wishes_only(self) -> bool:
        return self.empty or bool(self.wishes)


def _wishes(sentence: str) -> Iterator[_Wish]:
    """What a sentence wishes for. What makes it last stands in a wish or beside one: "I always lose, be brief" is for
    now.
    """
    rules = rules_zh.RULES if is_chinese(sentence) else rules_en.RULES
    clauses = [_read(clause, rules) for clause in _own(rules.split.split(_folded(sentence)), rules)]
    for _, run in groupby(clauses, key=lambda clause: clause.wishes_only):
        together = list(run)
        lasting = any(clause.lasts for clause in together)
        for signal, asked in (wish for clause in together for wish in clause.wishes):
            yield (replace(signal, explicit=lasting) if signal else None), asked


def _own(clauses: Iterable[str], rules: Rules) -> Iterator[str]:
    """The clauses up to one that says whose words come next."""
    for clause in clauses:
        yield clause
        if rules.reports.search(clause.strip(_MARKS)):
            return


def _read(clause: str, rules: Rules) -> _Clause:
    parts = [part.strip(_MARKS) for part in rules.split.split(rules.lasting.sub("", clause))]
    bare = [rules.leaders.sub("", part).strip() for part in parts]
    told = [short or part for short, part in zip(bare, parts, strict=True) if part and len(part) <= LONGEST_WISH]
    wishes = tuple(wish for words in told for wish in _wish(words, rules))
    return _Clause(wishes, _lasts(clause, wishes, rules), not any(bare))


def _lasts(clause: str, wishes: Iterable[_Wish], rules: Rules) -> bool:
    """Whether it is to hold from now on. An objection to what always happens says nothing of that."""
    found = rules.lasting.search(clause)
    objects = any(signal is not None and signal.correction for signal, _ in wishes)
    return found is not None and not (objects and rules.habit.match(found[0]))


def _wish(words: str, rules: Rules) -> Iterator[_Wish]:
    command = rules.command.fullmatch(words)
    if command is not None:
        named = rules.words[(command["mode"] or command["trait"]).lower()]
        if named == DEFAULT:
            yield None, ModeRequest(None, "user")
        else:
            yield Signal("mode", named, language=rules.language), ModeRequest(named, "user")
        return
    if rules.as_now.fullmatch(words):
        yield Signal("mode", "", as_now=True, language=rules.language), None
        return
    for rule in rules.wishes:
        if rule.pattern.fullmatch(words):
            heard = _ANSWER_TO.get((rule.key, rule.value)) if rule.correction else None
            signal = Signal(rule.key, rule.value, correction=rule.correction, language=rules.language)
            yield signal, ModeRequest(heard, "user") if heard else None
            return


def _suggested(own: str) -> ModeRequest | None:
    read = _folded(own)
    every = (*rules_en.RULES.suggestions, *rules_zh.RULES.suggestions)
    fitting = {mode for pattern, mode in every if pattern.search(read)}
    return ModeRequest(fitting.pop(), "rule") if len(fitting) == 1 else None


def _folded(text: str) -> str:
    """One spelling of quotes and of Chinese characters."""
    return normalize(text).replace("’", "'")
