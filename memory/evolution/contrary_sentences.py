"""Whether two sentences contradict each other by their words alone, where no slot tells what they are about. Pure.

They do where they say the same in the same order with another value in one place ("closes at four", "closes at six"),
or where one denies what the other says. Who says the same in other words is not understood, and of what can hold beside
its like ("sells tea", "the bus leaves at four") nothing contradicts. Vectors decide nothing here, as "opens" and
"closes" are as near each other as words get.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from foundation.compiled_patterns import compile_pattern
from foundation.language import cjk_characters, normalize
from foundation.lexicon import read_lexicon
from memory.evolution.clauses import ends_in_question
from memory.evolution.compared_tokens import ComparedToken, is_denial, read_tokens, write_out

_WORDS: Final = read_lexicon(__file__)
_ASIDES: Final = _WORDS.pattern("asides")
_PASSING: Final = _WORDS.pattern("passing")
_EN, _ZH = _WORDS.of("en"), _WORDS.of("zh")
_CONDITIONS: Final = _WORDS.pattern("conditions")
_OPEN_EN, _OPEN_ZH = _EN.pattern("open_denials"), _ZH.pattern("open_denials")
_MODALS_ZH, _CONSEQUENCES_ZH = _ZH.pattern("modals"), _ZH.pattern("consequences")
_THOUSANDS: Final = compile_pattern(r"(?<=\d),(?=\d{3}(?!\d))")
_IRREGULAR: Final = _EN.mapping("irregular")
_ARTICLES: Final = frozenset(_EN.words("articles"))
_SHORTEST_SUBJECT: Final = 2
"""Characters before a Chinese denial; without a subject it is a condition: 不办卡能用."""
_HALF_DAY: Final = 12
_SAME_BEGINNING: Final = 4
"""Letters that the forms of one word have in common."""
LONGEST: Final = 300
"""Characters of a sentence that is compared; a longer one says more than one thing."""


@dataclass(frozen=True, slots=True)
class ComparedSentence:
    """A sentence as it is compared: its tokens in order; none where it contradicts nothing."""

    text: str
    written: str
    """The text that the places of the tokens refer to."""
    tokens: tuple[ComparedToken, ...]
    longest: str
    """The beginning of its longest word, without which another sentence is about something else; "" without words."""


def parse_sentence(sentence: str) -> ComparedSentence:
    """The sentence as it is compared with others; without tokens where it is too long, or speaks of what passes."""
    text = normalize(sentence) if len(sentence) <= LONGEST else ""
    written = write_out(_ASIDES.sub(" ", _THOUSANDS.sub("", text)))
    tokens = () if _PASSING.search(written) else tuple(read_tokens(written))
    words = sorted((token.text for token in tokens if token.text.isalpha()), key=len, reverse=True)
    longest = next((word[:_SAME_BEGINNING] for word in words if word[:_SAME_BEGINNING] in text), "")
    return ComparedSentence(sentence, written, tokens, longest)


def contradicts_any(sentence: str, known: Sequence[ComparedSentence]) -> bool:
    """Whether a sentence contradicts one of those that are known."""
    text = normalize(sentence)
    near = [one for one in known if one.longest and one.longest in text]
    return bool(near) and any(map(partial(contradict, parse_sentence(sentence)), near))


def contradict(one: ComparedSentence, two: ComparedSentence) -> bool:
    """Whether two sentences cannot both hold: the same words in the same order but for one place, where another value
    stands or one denies what the other says. A question contradicts nothing.
    """
    if (
        not one.longest
        or not two.longest
        or not (_differ_in_a_value(one, two) or _denies(one, two) or _denies(two, one))
    ):
        return False
    return not (ends_in_question(one.text) or ends_in_question(two.text))


def _differ_in_a_value(one: ComparedSentence, two: ComparedSentence) -> bool:
    place = _first_difference(one.tokens, two.tokens)
    if len(one.tokens) != len(two.tokens) or place == len(one.tokens):
        return False
    if one.tokens[place + 1 :] != two.tokens[place + 1 :] or any(map(is_denial, one.tokens)):
        return False
    mine, theirs = one.tokens[place], two.tokens[place]
    return bool(mine.kind) and mine.kind == theirs.kind and not _may_be_one_hour(mine, theirs)


def _may_be_one_hour(one: ComparedToken, two: ComparedToken) -> bool:
    """Whether two values may be one time of day: four may be sixteen o'clock."""
    (first, _, minutes), (second, _, others) = one.text.partition(":"), two.text.partition(":")
    if one.kind != "time" or minutes != others or not (first.isdecimal() and second.isdecimal()):
        return False
    return (int(first) - int(second)) % _HALF_DAY == 0


def _denies(one: ComparedSentence, two: ComparedSentence) -> bool:
    """Whether the first denies the second: it has one denial, and says the same without it."""
    place = _first_difference(one.tokens, two.tokens)
    if not place < len(one.tokens) or not is_denial(one.tokens[place]) or any(map(is_denial, two.tokens)):
        return False
    rest, other = one.tokens[place + 1 :], two.tokens[place:]
    if other and other[0].text in _ARTICLES:  # "has no canteen", "has a canteen"
        other = other[1:]
    is_same = len(rest) == len(other) > 0 and rest[1:] == other[1:] and _is_same_verb(rest[0].text, other[0].text)
    return is_same and _denies_the_whole(one, one.tokens[place])


def _first_difference(one: Sequence[ComparedToken], two: Sequence[ComparedToken]) -> int:
    pairs = enumerate(zip(one, two, strict=False))
    return next((place for place, (mine, theirs) in pairs if mine != theirs), min(len(one), len(two)))


def _is_same_verb(denied: str, stated: str) -> bool:
    """Whether a word behind a denial is the other without it: "does not open" denies "opens"."""
    if stated in {denied, _IRREGULAR.get(denied, denied)}:
        return True
    return stated in {f"{denied}s", f"{denied}es", f"{denied.removesuffix('y')}ies"} and denied.isascii()


def _denies_the_whole(sentence: ComparedSentence, denial: ComparedToken) -> bool:
    """Whether a denial is that of the statement, and not of a condition or of what tells one thing from others."""
    start, end = denial.span
    before, behind = sentence.written[:start], sentence.written[end:]
    if _CONDITIONS.search(before):
        return False
    if not cjk_characters(denial.text):
        return not _OPEN_EN.match(sentence.written, start)
    if len(before.strip()) < _SHORTEST_SUBJECT or _OPEN_ZH.search(behind):
        return False
    return _MODALS_ZH.match(behind) is not None or not _CONSEQUENCES_ZH.search(behind, 1)
