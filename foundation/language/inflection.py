"""Inflection of English: a first-person statement in the third person, gerunds and participles."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from foundation.language.tables import tables_of

_ENGLISH: Final = tables_of("en")
_IRREGULAR: Final = _ENGLISH.verb_forms["third_person"]
_FIRST_OF: Final = _ENGLISH.verb_forms["base"]
_CONTRACTED: Final = _ENGLISH.verb_forms["contracted"]
_FIRST_PERSON: Final = _ENGLISH.verb_forms["persons"]
_UNCHANGED: Final = _ENGLISH.verbs["unchanged"]
_ADVERBS: Final = _ENGLISH.verbs["adverbs"]
_MODAL: Final = _ENGLISH.verbs["modal"]
_IRREGULAR_PAST: Final = _ENGLISH.verbs["irregular_past"]
_LY_VERBS: Final = _ENGLISH.verbs["in_ly"]
_COMMON: Final = _ENGLISH.verbs["common"]
_ADVERB_PHRASE: Final = r"(?:no longer|not only|sort of|kind of)"
ADVERB: Final = rf"(?>{_ADVERB_PHRASE}|(?:{'|'.join(sorted(_ADVERBS))})\b|\w{{2,}}ly)"
"""What may stand between "I" and its verb. Some words in "-ly" are verbs: ``agree`` knows them."""
_PHRASE_BEFORE: Final = re.compile(rf"\s*{_ADVERB_PHRASE}\b\s*", re.IGNORECASE)
_REGULAR_PAST = re.compile(r"(?<!e)ed$|^(?:agreed|freed|guaranteed|succeeded)$")
_DOUBLES: Final = re.compile(r"[^aeiou]?[^aeiou][aeiou][bdgmnpt]")
"""A short verb of one syllable, which doubles its last letter: trim, trimming."""
_SIBILANTS: Final = ("s", "x", "z", "ch", "sh", "o")
_CONSONANT_AND_Y = re.compile(r"[^aeiou]y$")
_SUBJECT = re.compile(r"I(?:\s+|(?P<verb>['’](?:m|ve|d|ll))\b)")
_JOINED_VERB = re.compile(r"(\b(?:and|but|or) (?:also |still |now )?)([A-Za-z]+)")
_WORD = re.compile(r"[A-Za-z]++(?:-[A-Za-z]++)*+(?:['’][a-z]++)?")
# "US" is a market, and a capital in the middle belongs to a name: "Me Before You".
_SPEAKER = re.compile(
    r"\bI(?:'(?:m|ve|d|ll)| (?:am|was(?:n't)?))?\b"
    r"|\b(?:m(?:e|y|ine|yself)|ours?(?:elves)?|us|we(?:'(?:re|ve|d|ll))?)\b|^(?:My|Our|We)\b"
)


def conjugate(verb: str) -> str:
    """The third person singular of a verb in its base form; past and modal forms come back as they are."""
    lower = verb.lower().replace("’", "'")
    if lower in _IRREGULAR:
        return _IRREGULAR[lower]
    if lower in _UNCHANGED or _REGULAR_PAST.search(lower):
        return verb
    if lower.endswith(_SIBILANTS):
        return verb + "es"
    return verb[:-1] + "ies" if _CONSONANT_AND_Y.search(lower) else verb + "s"


def is_common_verb(word: str) -> bool:
    """Whether ``word`` is the base form of a verb people use about themselves."""
    return word.lower() in _COMMON


def is_past_tense(word: str) -> bool:
    """Whether ``word`` alone reads as a verb that needs a subject: "answered", "told"."""
    return word.lower() in _IRREGULAR_PAST or _REGULAR_PAST.search(word.lower()) is not None


def agree(words: str) -> str:
    """``words`` as they follow a name instead of "I": the first verb agrees, and verbs joined to it."""
    adverbs: list[str] = []
    at = 0
    while True:
        if phrase := _PHRASE_BEFORE.match(words, at):
            adverbs.append(phrase.group())
            at = phrase.end()
            continue
        word = _WORD.search(words, at)
        if word is None or words[at : word.start()].strip(" "):
            return "".join([*adverbs, words[at:]])
        if not _is_adverb(word.group()):
            return "".join([*adverbs, conjugate(word.group()), _agree_joined(words[word.end() :], word.group())])
        begin, at = word.start(), len(words) - len(words[word.end() :].lstrip())
        adverbs.append(words[begin:at])


def third_person(sentence: str) -> str:
    """ "I wake up at 6" as it stands without its subject: "wakes up at 6". Other sentences are unchanged."""
    match = _SUBJECT.match(sentence)
    if match is None:
        return sentence
    rest = sentence[match.end() :]
    return _CONTRACTED[match["verb"].replace("’", "'")] + rest if match["verb"] else agree(rest)


def in_first_person(words: str) -> str:
    """The inverse of ``third_person`` for what begins with a verb of the third person: "likes tea" as "I like tea".

    "" where no verb that people use about themselves stands there.
    """
    for match in _WORD.finditer(words):
        if not _is_adverb(match.group()):
            base = _base_of(match.group())
            return f"I {words[: match.start()].lower()}{base}{words[match.end() :]}" if base else ""
    return ""


def _base_of(verb: str) -> str:
    """The base form of a verb in the third person; one in the past or a modal as it is, "" for any other word."""
    lower = verb.lower().replace("’", "'")
    if lower in _FIRST_OF:
        return _FIRST_OF[lower]
    stems = [f"{lower[:-3]}y"] if lower.endswith("ies") else [lower[:-1], lower[:-2]] if lower.endswith("s") else []
    if known := next((stem for stem in stems if is_common_verb(stem)), ""):
        return known
    return lower if lower in _MODAL or is_past_tense(lower) else ""


def third_person_pronouns(words: str) -> str:
    """``words`` of a speaker as they are told of somebody: "my sister and I" becomes "their sister and they"."""
    return _SPEAKER.sub(_swap_pronoun, words.replace("’", "'"))


def _swap_pronoun(match: re.Match[str]) -> str:
    other = _FIRST_PERSON[match.group().lower()]
    return other.capitalize() if match.group()[0].isupper() and match.group()[0] != "I" else other


def _is_adverb(word: str) -> bool:
    lower = word.lower()
    return lower in _ADVERBS or (lower.endswith("ly") and lower not in _LY_VERBS)


def _agree_joined(rest: str, verb: str) -> str:
    """Verbs after "and" agree too, unless the first was past or modal: "I went and saw"."""
    if conjugate(verb) == verb:
        return rest

    def again(match: re.Match[str]) -> str:
        return match[1] + (conjugate(match[2]) if match[2].lower() in _COMMON else match[2])

    return _JOINED_VERB.sub(again, rest)


def gerund(verb: str) -> str:
    """``scoop up`` → ``scooping up``, ``close`` → ``closing``."""
    first, space, particle = verb.partition(" ")
    stem = first[:-1] if first.endswith("e") and len(first) > len("be") else _double_consonant(first)
    return f"{stem}ing{space}{particle}"


def participle(verb: str, irregular: Mapping[str, str]) -> str:
    """``close out`` → ``closed out``, ``buy`` → ``bought`` where ``irregular`` says so."""
    first, space, particle = verb.partition(" ")
    return f"{irregular.get(first) or _regular_participle(first)}{space}{particle}"


def _regular_participle(verb: str) -> str:
    if verb.endswith("e"):
        return f"{verb}d"
    return f"{verb[:-1]}ied" if verb.endswith("fy") else f"{_double_consonant(verb)}ed"


def _double_consonant(verb: str) -> str:
    return verb + verb[-1] if _DOUBLES.fullmatch(verb) else verb
