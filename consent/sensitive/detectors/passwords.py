"""Finds passwords, and keys without a provider's shape, where the words before announce one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from consent.sensitive.ascii_shadow import ascii_shadow, places_of
from consent.sensitive.types import Finding, SensitiveKind
from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__)


def _called(name: str) -> str:
    english, chinese = _WORDS.of("en").phrase(name), _WORDS.of("zh").phrase(name)
    return rf"(?:(?<![a-z])(?:{english})(?![a-z])|{chinese})"


_KINDS: Final = ("password", "key", "service")
_ENGLISH, _CHINESE = (_WORDS.of(language) for language in ("en", "zh"))
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
_TOKEN: Final = re.compile(r"[!-~]{6,160}")
_EDGES: Final = "\"'`()<>[]{},;"
_NO_SECRET: Final = re.compile(rf"(?:{_WORDS.of('en').phrase('no_secret')})", re.IGNORECASE)
_HASH: Final = re.compile(_called("hash"), re.IGNORECASE)
_PLAIN: Final = re.compile(
    r"[0-9.,:/%+-]+|[0-9]{4}-?[A-Za-z]{3}|[A-Za-z]+|[A-Za-z]+(?:[-'/][A-Za-z]+)+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|[\w.-]+\.(?:com|io|py|js|csv|pdf|net|org|md|json|xlsx?)|v?[0-9]++(?:\.[0-9]++)++\w*+"
)
_NUMBERED: Final = re.compile(r"[\w.]+#[0-9]{1,4}")
"""A room, a ticket or a player, unless a word right before it announces a password."""
_SECOND: Final = re.compile(r" ?/ ?(?P<secret>[!-~]{6,40})")
"""A password behind the name of its account: ``login jo7 / …``."""
_LONG: Final = re.compile(r"[A-Za-z0-9_+/=.:-]{16,}")
_UUID: Final = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_HEX: Final = re.compile(r"[0-9a-f]{32,64}", re.IGNORECASE)
# Every secret found after a word has one of these: a digit beside a letter, a mark within a word, 20 digits.
_HINTED: Final = re.compile(
    r"[0-9][A-Za-z_]|[A-Za-z_][0-9]|[A-Za-z0-9][!@#$%^&*_?+;~][A-Za-z0-9]|[A-Za-z0-9]{4}[!#$]|[0-9]{20}"
    r"|[A-Za-z][.-][0-9]{2}"
)
_MARKED: Final = re.compile(r"[!#$%^*&?](?<=[A-Za-z0-9].)[A-Za-z0-9]")
_IN_URL: Final = re.compile(r"://[\w.-]{1,40}:(?P<secret>[^\s:@/]{6,60})@")
_STRONG: Final = re.compile(
    r"(?<![!-~])(?=[!-~]{0,22}[a-z])(?=[!-~]{0,22}[A-Z])(?=[!-~]{0,22}[0-9])(?=[!-~]{0,22}[!#$%^*&?])[A-Za-z0-9!#$%^*&@_?.-]{9,24}(?![!-~])"
)
_USER: Final = re.compile(r"(?:(?<![A-Za-z0-9])(?:admin|root|dev|user)(?:/| / |:)|(?<!\S)-p)(?P<secret>[!-~]{8,40})")
_USERS: Final = ("admin", "root", "dev", "user", "-p")
_REACH: Final = 44  # characters from the word that announces a secret to the secret
_BEFORE_HASH: Final = 24  # characters before a key in which it may be called a hash


class _Cue(NamedTuple):
    """A word that announces a secret, with its place and the kind of secret."""

    start: int
    end: int
    kind: str


def find(text: str) -> Iterator[Finding]:
    """Strings that look like a password or key after a word that announces one, and some that can be nothing else."""
    if _HINTED.search(text) is not None:
        yield from _called_secrets(text)
    for signs, pattern in ((("://",), _IN_URL), (_USERS, _USER)):
        if not any(sign in text for sign in signs):
            continue
        for match in pattern.finditer(text):
            secret = match["secret"].rstrip(".,;")
            if _looks_chosen(secret) and "/" not in secret and any(map(str.isdigit, secret)):
                yield Finding(SensitiveKind.API_KEY, match.start("secret"), match.start("secret") + len(secret))
    if _MARKED.search(text) is not None:
        for match in _STRONG.finditer(text):
            secret = match.group().rstrip(".,?")
            if not _PLAIN.fullmatch(secret):
                yield Finding(SensitiveKind.API_KEY, match.start(), match.start() + len(secret))


def _called_secrets(text: str) -> Iterator[Finding]:
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
    for number, token in enumerate(_TOKEN.finditer(text, cue.end, cue.end + _REACH + 160)):
        if token.start() - cue.end > _REACH or number > 6:
            return None
        if token.start() == cue.end and text[cue.end] in "_-/@.":  # password_change, key-value
            continue
        start, end = _trimmed(text, *token.span())
        secret = text[start:end]
        if _NO_SECRET.match(secret):
            return None
        near = token.start() - cue.end <= 12
        if cue.kind == "password" and (second := _SECOND.match(text, end)):
            begin, stop = _trimmed(text, *second.span("secret"))
            if _looks_chosen(text[begin:stop]):
                return begin, stop
        if (cue.kind == "password" and _looks_chosen(secret, near=near)) or _looks_generated(text, cue, start, secret):
            return start, end
    return None


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    for mark in ("=", ":", ">"):  # key=…, "token":…
        at = text.find(mark, start, min(end, start + 24))
        if at >= 0 and end - at > 6 and text[start:at].replace("_", "").replace('"', "").isalpha():
            start = at + 1
    while start < end and text[start] in _EDGES + "=:>":
        start += 1
    ampersand = text.find("&", start, end)
    if ampersand > 0 and "=" in text[ampersand:end]:
        end = ampersand
    while start < end and text[end - 1] in _EDGES + ".:":
        end -= 1
    return start, end


def _looks_chosen(secret: str, *, near: bool = True) -> bool:
    """Whether it looks like a password made up by a person: letters with digits or marks, no word, date or address.

    Right behind the word that announces it "rover7" will do; farther away only "Rover7" or "rover7!".
    """
    if not near and _NUMBERED.fullmatch(secret):
        return False
    if not 6 <= len(secret) <= 40 or _PLAIN.fullmatch(secret) or _NO_SECRET.match(secret) or "//" in secret:
        return False
    letters, digits = any(map(str.isalpha, secret)), any(map(str.isdigit, secret))
    marks = any(mark in secret for mark in "!@#$%^&*_?+;~")
    return (
        letters
        and (digits or marks)
        and (near or (digits and (marks or secret not in {secret.lower(), secret.upper()})))
    )


def _looks_generated(text: str, cue: _Cue, start: int, secret: str) -> bool:
    """Whether it looks like a key made by a machine: long, letters and digits mixed, and not called a hash."""
    if (
        not _LONG.fullmatch(secret)
        or secret.startswith(("0x", "http"))
        or "//" in secret
        or (_PLAIN.fullmatch(secret) and not secret.isdigit())
    ):
        return False
    digits = sum(map(str.isdigit, secret))
    if digits == len(secret):
        return cue.kind == "key" and len(secret) >= 20
    if digits < 3 and secret in {secret.lower(), secret.upper()}:
        return False
    if _HASH.search(text, max(0, start - _BEFORE_HASH), start):
        return False
    shaped = _HEX.fullmatch(secret) or _UUID.fullmatch(secret) or secret not in {secret.lower(), secret.upper()}
    return digits >= 2 and (bool(shaped) or cue.kind == "key")
