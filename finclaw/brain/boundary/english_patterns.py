"""Patterns of requests to act in English, compiled from the lexicon."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from finclaw.brain.boundary.act_objects import AMOUNT, GAP, kind_patterns
from finclaw.brain.boundary.lexicon import EnglishWords, any_of, english_words, misspellings
from foundation.compiled_patterns import compile_pattern
from foundation.language.inflection import gerund, participle
from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__, "patterns")

_PARTICLE: Final = _WORDS.of("en").phrase("particle")
_SPACE: Final = r"(?: |(?=[^\w\s]|$))"
_OWN: Final = rf"(?:(?:all )?(?:of )?my|all|the|those|these|this|that|{AMOUNT})"
_WITHIN: Final = r"[^.;?!]{0,80}?"
_SO_FAR: Final = _WORDS.of("en").phrase("so_far")
_DONE_WHEN: Final = _WORDS.of("en").phrase("done_when")
_REPORT: Final = _WORDS.of("en").phrase("report")
_WORD: Final = re.compile("[a-z]+")
_WISHES: Final = ("want", "need", "take")
"""What ``wish_for_act`` begins with besides verbs of acting."""


@dataclass(frozen=True)
class EnglishPatterns:
    """Patterns for acts as an order, as a gerund, as a participle or as a wish; and for what else may govern a
    sentence.
    """

    act: re.Pattern[str]
    act_gerund: re.Pattern[str]
    act_participle: re.Pattern[str]
    trade: re.Pattern[str]
    wish_for_act: re.Pattern[str]
    claims: tuple[re.Pattern[str], ...]
    instruction: re.Pattern[str]
    supposition: re.Pattern[str]
    first_words: frozenset[str]
    """The first words of all acts: a sentence without any of them asks for nothing."""


@cache
def english_patterns() -> EnglishPatterns:
    """The compiled patterns, made once."""
    lexicon = english_words()
    on = kind_patterns(lexicon)
    done = any_of(_participles(lexicon))
    base = _any_act(lexicon, on, _with_misspellings(lexicon))
    return EnglishPatterns(
        act=compile_pattern(rf"(?:{any_of(lexicon.phrases)})\b|{base}"),
        act_gerund=compile_pattern(_any_act(lexicon, on, lambda verb: {gerund(verb)})),
        act_participle=compile_pattern(_any_act(lexicon, on, lambda verb: {participle(verb, lexicon.irregular)})),
        trade=compile_pattern(
            rf"(?:{any_of(lexicon.acts[0].verbs)})(?! me on\b)(?![-'])(?= \S)"
            rf"(?! (?:[^\s,;?!]+ ){{0,3}}(?:{any_of(lexicon.compounds)})\b)"
        ),
        wish_for_act=compile_pattern(
            r"\b(?:i (?:want|need|would like)|i'd like|have|get|make sure|ensure|see to it|see)(?: that| to have)? "
            rf"{_OWN} {GAP}(?:of {GAP})?(?:(?:is|are|be|gets?|to be) )?(?:{done}){_DONE_WHEN}"
            rf"|\bi (?:want|need|'ll take|will take) {on['quantity']}[^,.;?!]{{0,30}}? (?:in my|by|before|today|now)\b"
            rf"|\bi(?:'ll| will) take {on['quantity']}"
            r"|\bi (?:want|need)(?: to be)? (?:out|rid) of [^,.;?!]{1,30} (?:by|now|today|before|immediately)\b"
        ),
        claims=tuple(map(compile_pattern, _claimed_acts(lexicon, done))),
        instruction=compile_pattern(rf"(?:{any_of((*lexicon.research, *lexicon.verbs))}|here(?:'s| is)|run|do)\b"),
        supposition=compile_pattern(rf"(?:{any_of(lexicon.supposes)})\b"),
        first_words=_first_words(lexicon),
    )


def _first_words(lexicon: EnglishWords) -> frozenset[str]:
    base = (form for verb in lexicon.verbs for form in _with_misspellings(lexicon)(verb))
    inflected = (*_participles(lexicon), *map(gerund, lexicon.verbs))
    forms = (*lexicon.phrases, *base, *inflected, *_WISHES)
    return frozenset(word.group() for word in map(_WORD.match, forms) if word is not None)


def _any_act(lexicon: EnglishWords, on: Mapping[str, str], forms: Callable[[str], Iterable[str]]) -> str:
    """Any act: its verb in one of the forms, with an object that makes an order of it."""
    acts = []
    for act in lexicon.acts:
        verbs = any_of(form for verb in act.verbs for form in forms(verb)).replace("\\ ", "(?: me| us| it| them)? ")
        things = "|".join(on[kind] for kind in act.needs)
        acts.append(rf"(?:{verbs})\b(?![-'])(?! (?:{any_of(lexicon.compounds)})\b){_PARTICLE}{_SPACE}(?:{things})")
    return "|".join(acts)


def _with_misspellings(lexicon: EnglishWords) -> Callable[[str], set[str]]:
    things = (name for names in lexicon.things.values() for name in names)
    known = frozenset([*lexicon.verbs, *lexicon.research, *lexicon.units, *lexicon.no_slips, *things])
    return lambda verb: {verb, *misspellings(verb, known)}


def _participles(lexicon: EnglishWords) -> set[str]:
    return {participle(verb, lexicon.irregular) for verb in lexicon.verbs}


def _claimed_acts(lexicon: EnglishWords, done: str) -> tuple[str, ...]:
    """Claims that something was done for the reader, or orders to report it so."""
    handled = any_of(name for kind in ("orders", "positions", "stops") for name in lexicon.things[kind])
    yours = rf"(?:for you|on your behalf|your (?:[^\s,;?!]+ ){{0,3}}?(?:{handled}|leverage|margin))\b"
    return (
        rf"\b(?:your|orders? (?:for|of|on) your) (?:[^\s,;?!]+ ){{0,3}}?(?:{handled}|leverage)\b(?: [^\s.;?!]+){{0,6}}?"
        rf" (?:has|have|was|were|is|are|will be)(?: been| now| being)* (?:{done})\b",
        rf"\b(?:i|we){_SO_FAR} (?:{done})\b{_WITHIN}\b{yours}",
        rf"\b(?:i|we)(?:'ll| will)(?: now| just)* (?:{any_of(lexicon.verbs)})\b{_WITHIN}\b{yours}",
        rf"^\W*(?:(?:ok|okay|done|yes|sure)\W+)?(?:\d[\d,.]* [^\s,;?!]+ )?(?:{done})\b{_WITHIN}"
        r"\b(?:for you|on your behalf)\b",
        rf"{_REPORT} that (?:the|my) (?:[^\s,;?!]+ ){{0,3}}?(?:{handled}) (?:is|was|has been) (?:{done})\b",
        rf"{_REPORT}{_WITHIN}\byou(?:'ve| have)(?: just| now)? (?:{done}) {_OWN}",
    )
