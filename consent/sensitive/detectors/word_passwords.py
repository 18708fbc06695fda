"""Finds passwords made of words alone, where a sentence gives one: "the wifi password is bluewhale"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from consent.sensitive.types import Finding, SensitiveKind
from foundation.compiled_patterns import compile_pattern
from foundation.lexicon import read_lexicon
from foundation.sanitization.rules import holds_any

_WORDS: Final = read_lexicon(__file__)
_EN, _ZH = _WORDS.of("en"), _WORDS.of("zh")

_END: Final = r"(?=$|[,;:!?)\n…—.](?!\w)"
_END_ZH: Final = r"(?=$|[一-鿿]|[ ，。！？；、,.!?;)）\n](?![A-Za-z0-9]))"
_NO_PARTICIPLE: Final = rf"(?!{_EN.phrase('participle')}\b)"
_QUOTED: Final = compile_pattern(
    r" ?(?:\"(?P<straight>[^\"\n()/]{4,60})\"|“(?P<curly>[^”\n]{2,60})”|[「『](?P<corner>[^」』\n]{2,60})[」』])"
)
_JOINED: Final = compile_pattern(r" ?(?P<word>[A-Za-z]{2,20}(?:-[A-Za-z]{2,20}){2,7})(?![\w-])")  # orbit-walnut-cradle
_IN_ONE: Final = compile_pattern(r" ?(?P<word>[A-Za-z][a-z]{1,20}(?:[A-Z][a-z]{1,20}){1,4})(?![\w@.-])")  # BlueWhale
_SEVERAL: Final = compile_pattern(rf" ?(?P<word>[a-z]{{3,20}}(?: (?!please)[a-z]{{3,20}}){{2,6}}){_END}| please\b)")
_ONE: Final = compile_pattern(
    rf" ?{_NO_PARTICIPLE}(?P<word>[A-Za-z]{{5,40}}){_END}| [(—–-]| (?:{_EN.phrase('goes_on')})\b)"
)
_LONG: Final = compile_pattern(rf" {_NO_PARTICIPLE}(?P<word>[A-Za-z]{{8,40}}){_END}| )")
_ONE_ZH: Final = compile_pattern(rf"(?P<word>[A-Za-z]{{5,40}}){_END_ZH}")
_LONG_ZH: Final = compile_pattern(rf"(?P<word>[A-Za-z]{{6,40}}){_END_ZH}")  # not 密码Excel

_GIVEN: Final = (
    (_EN.pattern("stated", re.IGNORECASE), (_QUOTED, _JOINED, _IN_ONE, _ONE)),  # the password is bluewhale
    (_EN.pattern("named", re.IGNORECASE), (_QUOTED, _JOINED, _IN_ONE)),  # the password BlueWhale
    (_EN.pattern("noted", re.IGNORECASE), (_LONG,)),  # pw pleasedontshare
    (_EN.pattern("phrase", re.IGNORECASE), (_SEVERAL,)),  # passphrase: green apple tall ladder
    (_ZH.pattern("stated"), (_QUOTED, _IN_ONE, _SEVERAL, _ONE_ZH)),  # 密码是qingfeng
    (_ZH.pattern("named"), (_QUOTED, _LONG_ZH)),  # 密码woaibeijing
    (_ZH.pattern("noted"), (_ONE_ZH,)),  # 默认密码 admin
)
"""How a sentence announces a password, and how the password may look right behind that."""
_INSIDE: Final = (_EN.pattern("behind", re.IGNORECASE), _EN.pattern("account", re.IGNORECASE), _ZH.pattern("aloud"))
"""Sentences that hold the password as a group of theirs."""
_HINTS: Final = ("pass", "pw", "word", "key", "code", "login", "密", "口令", "暗")
_NO_PASSWORDS: Final = frozenset(_WORDS.words("no_passwords"))


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
            if found is not None and _NO_PASSWORDS.isdisjoint(found[found.lastgroup or 0].lower().split()):
                yield found.span(found.lastgroup or 0)


def _held_inside(text: str) -> Iterator[tuple[int, int]]:
    for sentence in _INSIDE:
        yield from (found.span("word") for found in sentence.finditer(text))
