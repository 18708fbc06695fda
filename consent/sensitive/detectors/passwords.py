"""Finds passwords, and keys without a provider's shape, where the words before announce one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

from consent.sensitive.ascii_shadow import ascii_shadow, places_of
from consent.sensitive.secret_shapes import is_placeholder, looks_chosen, looks_generated, looks_unmistakable
from consent.sensitive.types import Finding, SensitiveKind
from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__)
_ENGLISH, _CHINESE = (_WORDS.of(language) for language in ("en", "zh"))

_KINDS: Final = ("password", "key", "service")
_ENGLISH_CUE: Final = re.compile(
    rf"(?<![a-z])(?:{'|'.join(f'(?P<{kind}>{_ENGLISH.phrase(kind)})' for kind in _KINDS)})(?![a-z])", re.IGNORECASE
)
_CHINESE_CUE: Final = re.compile("|".join(_CHINESE.phrase(kind) for kind in _KINDS))
_KIND_OF: Final = {word: kind for kind in reversed(_KINDS) for word in _CHINESE.words(kind)}
_BEGINNING: Final = re.compile("[a-z]{1,3}")
_BEGINNINGS: Final = frozenset(
    found.group().encode() for kind in _KINDS for word in _ENGLISH.words(kind) if (found := _BEGINNING.match(word))
)
"""The first letters of the words that announce a secret: the pattern is tried only where one of these occurs."""
_HASH: Final = re.compile(
    rf"(?:(?<![a-z])(?:{_ENGLISH.phrase('hash')})(?![a-z])|{_CHINESE.phrase('hash')})", re.IGNORECASE
)

_HINT: Final = re.compile(
    "|".join(
        (
            r"[0-9][A-Za-z_]|[A-Za-z_][0-9]",  # a digit beside a letter: rover7
            r"[A-Za-z0-9][!@#$%^&*_?+;~][A-Za-z0-9]",  # a mark within a word: ro+ver
            r"[A-Za-z0-9]{4}[!#$]",  # or behind one: rover!
            r"[A-Za-z][.-][0-9]{2}",  # rover.77
            r"[0-9]{20}",  # a key of digits
        )
    )
)
"""What every secret that follows a word has; a text without one is not searched for such words."""
_SHORTEST, _LONGEST = 6, 160
"""Characters of a password, which services ask for at least, and of the longest key, as a session's token."""
_WORD: Final = re.compile(rf"[!-~]{{{_SHORTEST},{_LONGEST}}}")
_REACH: Final = 44
"""Characters between a word that announces a secret and the secret: "the password for the flat upstairs is now …"."""
_MOST_WORDS: Final = 7
"""Words of six characters and more in that reach; more are a list of something else."""
_NEAR: Final = 12
"""Characters in which a word stands right behind another: "password is now …"."""
_BEFORE_HASH: Final = 24
"""Characters before a key in which a word may call it a hash or an order's number."""
_SECOND: Final = re.compile(r" ?/ ?(?P<secret>[!-~]{6,40})")
"""A password behind the name of its account: ``login jo7 / …``."""

_LABEL: Final = re.compile(r'[A-Za-z_"]{1,23}[=:>]')
"""What stands glued before a value: ``access_token=…``, ``"token":…``."""
_EDGES: Final = "\"'`()<>[]{},;"
_FURTHER: Final = re.compile(r"&(?=\w{1,40}=)")
"""Where the value of a URL's parameter ends: ``key=…&limit=5``."""
_INSIDE_OTHER_WORD: Final = frozenset("_-/@.")
"""Behind a cue these make it part of a longer name: password_change, key-value."""

_STANDING_ALONE: Final = (
    (("://",), re.compile(r"://[\w.-]{1,40}:(?P<secret>[^\s:@/]{6,60})@")),  # postgres://jo:rover7@host
    (
        ("admin", "root", "dev", "user", "-p"),  # admin:rover7, mysql -prover7
        re.compile(r"(?:(?<![A-Za-z0-9])(?:admin|root|dev|user)(?:/| / |:)|(?<!\S)-p)(?P<secret>[!-~]{8,40})"),
    ),
)
"""Ways to write a secret that need no word before it, each with the signs without which it is not tried."""
_MARKED: Final = re.compile(r"[!#$%^*&?](?<=[A-Za-z0-9].)[A-Za-z0-9]")
_STRONG: Final = re.compile(
    r"(?<![!-~])"
    + "".join(rf"(?=[!-~]{{0,22}}[{kind}])" for kind in ("a-z", "A-Z", "0-9", "!#$%^*&?"))
    + r"[A-Za-z0-9!#$%^*&@_?.-]{9,24}(?![!-~])"
)
"""A word with a small letter, a capital, a digit and a mark is a password wherever it stands: Rover7!x2"""


class _Cue(NamedTuple):
    """A word that announces a secret, with its place and the kind of secret."""

    start: int
    end: int
    kind: str


def find(text: str) -> Iterator[Finding]:
    """Strings that look like a password or key after a word that announces one, and some that can be nothing else."""
    if _HINT.search(text) is not None:
        yield from _announced(text)
    for signs, pattern in _STANDING_ALONE:
        if any(sign in text for sign in signs):
            for match in pattern.finditer(text):
                secret = match["secret"].rstrip(".,;")
                if looks_unmistakable(secret):
                    yield Finding(SensitiveKind.API_KEY, match.start("secret"), match.start("secret") + len(secret))
    if _MARKED.search(text) is not None:
        for match in _STRONG.finditer(text):
            secret = match.group().rstrip(".,?")
            if looks_chosen(secret):
                yield Finding(SensitiveKind.API_KEY, match.start(), match.start() + len(secret))


def _announced(text: str) -> Iterator[Finding]:
    until = 0
    for cue in _cues(text):
        if cue.end < until:
            continue
        found = _secret_after(text, cue)
        if found is not None:
            until = found[1]
            yield Finding(SensitiveKind.API_KEY, *found)


def _cues(text: str) -> list[_Cue]:
    """The words that announce a secret, in order."""
    found = [_Cue(cue.start(), cue.end(), _KIND_OF[cue.group()]) for cue in _CHINESE_CUE.finditer(text)]
    flat, until = ascii_shadow(text), 0
    for start in sorted(start for beginning in _BEGINNINGS for start in places_of(beginning, flat)):
        cue = _ENGLISH_CUE.match(text, start) if start >= until else None
        if cue is not None and cue.lastgroup is not None:
            found.append(_Cue(*cue.span(), cue.lastgroup))
            until = cue.end()
    return sorted(found)


def _secret_after(text: str, cue: _Cue) -> tuple[int, int] | None:
    """The first word after the cue that looks like what the cue announces."""
    for word in islice(_WORD.finditer(text, cue.end, cue.end + _REACH + _LONGEST), _MOST_WORDS):
        distance = word.start() - cue.end
        if distance > _REACH:
            return None
        if distance == 0 and text[cue.end] in _INSIDE_OTHER_WORD:
            continue
        start, end = _trimmed(text, *word.span())
        if is_placeholder(text[start:end]):
            return None
        if cue.kind == "password" and (second := _SECOND.match(text, end)):
            password = _trimmed(text, *second.span("secret"))
            if looks_chosen(text[slice(*password)]):
                return password
        if _is_announced(text[start:end], text[max(0, start - _BEFORE_HASH) : start], cue, near=distance <= _NEAR):
            return start, end
    return None


def _is_announced(word: str, before: str, cue: _Cue, *, near: bool) -> bool:
    """Whether a word is the secret that the cue announces."""
    if cue.kind == "password" and looks_chosen(word, near=near):
        return True
    return looks_generated(word, is_key=cue.kind == "key") and not _HASH.search(before)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """A stretch without a label before its value, marks around it, and further parameters behind it."""
    while (label := _LABEL.match(text, start, end)) and end - label.end() >= _SHORTEST:
        start = label.end()
    while start < end and text[start] in _EDGES + "=:>":
        start += 1
    further = _FURTHER.search(text, start, end)
    end = further.start() if further else end
    while start < end and text[end - 1] in _EDGES + ".:":
        end -= 1
    return start, end
