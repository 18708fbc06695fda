"""Finds passwords made of words alone, where a sentence gives one: "the wifi password is bluewhale"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from consent.sensitive.names.latin_features import is_common_word
from consent.sensitive.types import Finding, SensitiveKind
from foundation.compiled_patterns import compile_pattern
from foundation.lexicon import read_lexicon
from foundation.sanitization.rules import holds_any

_WORDS: Final = read_lexicon(__file__)
_EN, _ZH = _WORDS.of("en"), _WORDS.of("zh")

_END: Final = r"(?=$|[,;:!?)\n…—.](?!\w)"
_END_ZH: Final = r"(?=$|[ ，。！？；、,.!?;)）\n](?![A-Za-z0-9])"
_GOES_ON_ZH: Final = rf"{_END_ZH}|{_ZH.phrase('goes_on')})"
_NO_PARTICIPLE: Final = rf"(?!{_EN.phrase('participle')}\b)"
_QUOTED: Final = compile_pattern(
    r" ?(?:\"(?P<straight>[^\"\n()/]{4,60})\"|“(?P<curly>[^”\n]{2,60})”|[「『](?P<corner>[^」』\n]{2,60})[」』])"
)
_JOINED: Final = compile_pattern(  # orbit-walnut-cradle, but not up-to-date
    rf" ?(?P<word>[A-Za-z]{{2,20}}(?:-(?!(?i:{_EN.phrase('joins')})-)[A-Za-z]{{2,20}}){{2,7}})(?![\w-])"
)
_IN_ONE: Final = compile_pattern(r" ?(?P<word>[A-Za-z][a-z]{1,20}(?:[A-Z][a-z]{1,20}){1,4})(?![\w@.-])")  # BlueWhale
_SEVERAL: Final = compile_pattern(rf" ?(?P<word>[a-z]{{3,20}}(?: (?!please)[a-z]{{3,20}}){{2,6}}){_END}| please\b)")
_END_OF_ONE: Final = rf"{_END}| [(—–-]| (?:{_EN.phrase('goes_on')})\b)"
_ONE: Final = compile_pattern(rf" ?{_NO_PARTICIPLE}(?P<word>[A-Za-z]{{5,40}}){_END_OF_ONE}")
_SAID: Final = compile_pattern(rf" ?{_NO_PARTICIPLE}(?P<said>[A-Za-z]{{5,40}}){_END_OF_ONE}")
_REPLACED: Final = compile_pattern(r" (?P<said>[A-Za-z]{4,40})(?= to )")
_LONG: Final = compile_pattern(rf" {_NO_PARTICIPLE}(?P<said>[A-Za-z]{{8,40}}){_END}| )")
_ONE_ZH: Final = compile_pattern(rf"(?P<word>[A-Za-z]{{5,40}}){_GOES_ON_ZH}|(?P<said>[a-z]{{5,40}})(?=[一-鿿])")
_WRITTEN_ZH: Final = compile_pattern(rf"(?P<word>[A-Za-z]{{5,40}}){_END_ZH}|[一-鿿])")
_LONG_ZH: Final = compile_pattern(  # not 密码Excel
    rf"(?P<word>[A-Za-z]{{6,40}}){_GOES_ON_ZH}|(?P<said>[a-z]{{6,40}})(?=[一-鿿])"
)

_GIVEN: Final = (
    (_EN.pattern("told", re.IGNORECASE), (_QUOTED, _JOINED, _IN_ONE, _SAID)),  # the password is bluewhale
    (_EN.pattern("stated", re.IGNORECASE), (_QUOTED, _JOINED, _IN_ONE, _ONE)),  # password: bluewhale
    (_EN.pattern("replaced", re.IGNORECASE), (_QUOTED, _JOINED, _IN_ONE, _REPLACED)),  # changed the password from … to
    (_EN.pattern("named", re.IGNORECASE), (_QUOTED,)),  # the password to the annex "blue whale"
    (_EN.pattern("bare", re.IGNORECASE), (_JOINED, _IN_ONE)),  # the password BlueWhale
    (_EN.pattern("noted", re.IGNORECASE), (_LONG,)),  # pw pleasedontshare
    (_EN.pattern("phrase", re.IGNORECASE), (_SEVERAL,)),  # passphrase: green apple tall ladder
    (_ZH.pattern("stated"), (_QUOTED, _IN_ONE, _SEVERAL, _ONE_ZH)),  # 密码是qingfeng
    (_ZH.pattern("written"), (_QUOTED, _IN_ONE, _SEVERAL, _WRITTEN_ZH)),  # 密码写成了WoDeMiMa贴着
    (_ZH.pattern("named"), (_QUOTED, _LONG_ZH)),  # 密码woaibeijing
    (_ZH.pattern("noted"), (_ONE_ZH,)),  # 默认密码 admin
)
"""How a sentence announces a password, and how the password may look right behind that.

What a pattern calls ``said`` may as well be said of the password, "is upstairs": there no common word counts.
"""
_INSIDE: Final = (_EN.pattern("behind", re.IGNORECASE), _EN.pattern("account", re.IGNORECASE), _ZH.pattern("aloud"))
"""Sentences that hold the password as a group of theirs."""
_HINTS: Final = ("pass", "pw", "word", "key", "code", "login", "密", "口令", "暗")
_NO_PASSWORDS: Final = frozenset(_WORDS.words("no_passwords"))
_CHOSEN: Final = frozenset(_EN.words("chosen"))


def find(text: str) -> Iterator[Finding]:
    """Words that a sentence gives as a password."""
    if holds_any(text.lower(), _HINTS):
        for start, end in sorted({*_given(text), *_held_inside(text)}):
            yield Finding(SensitiveKind.API_KEY, start, end)


def _given(text: str) -> Iterator[tuple[int, int]]:
    """Passwords that stand right behind what announces them."""
    for announced, looks in _GIVEN:
        for cue in announced.finditer(text):
            found = next((found for look in looks if (found := look.match(text, cue.end()))), None)
            if found is not None and not _is_ordinary(found):
                yield found.span(found.lastgroup or 0)


def _is_ordinary(found: re.Match[str]) -> bool:
    """Whether the words read as what is said of a password and not as one."""
    word = found[found.lastgroup or 0].lower()
    if found.lastgroup == "said" and word not in _CHOSEN and is_common_word(word):
        return True
    return not _NO_PASSWORDS.isdisjoint(word.split())


def _held_inside(text: str) -> Iterator[tuple[int, int]]:
    for sentence in _INSIDE:
        yield from (found.span(found.lastgroup or 0) for found in sentence.finditer(text))
