"""Reads a JSON array item by item, or one object: a file may be larger than memory, an item may not."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, Final, NamedTuple

from memory.importing.chats.exceptions import BrokenFile
from memory.importing.chats.refusal_reasons import RefusalReason

_FIRST_READ: Final = 1 << 16  # characters; each further one of the same item reads as many as there are
MOST_ITEM_CHARS: Final = 16_000_000  # as the refusal below says
MOST_ITEM_SIGNS: Final = 2_000_000
"""Brackets, braces and commas of an item, those within its strings too: each may stand for a value of 100 bytes."""
_LONGEST_SIGN: Final = 16  # characters of an escape or a name that may be cut
_BLANK: Final = re.compile(r"[ \t\r\n]*+")


class Item(NamedTuple):
    """One item, and the line it begins on, from 1."""

    line: int
    value: Any


def items_of(stream: BinaryIO) -> Iterator[Item]:
    """The items of the array that a stream of UTF-8 holds, or the object that it is, and nothing else.

    Raises ``BrokenFile`` with the line and the character. Linear in the length of the stream.
    """
    text = _Text(stream)
    first = text.next_sign()
    if first not in ("[", "{"):
        raise text.broken(RefusalReason.NO_JSON_ROOT)
    if first == "{":
        yield Item(text.line, text.value())
    else:
        text.skip()
        if text.next_sign() == "]":
            text.skip()
        else:
            yield from _items(text)
    if text.next_sign():
        raise text.broken(RefusalReason.TRAILING_TEXT)


def _items(text: _Text) -> Iterator[Item]:
    while True:
        text.next_sign()
        yield Item(text.line, text.value())
        sign = text.next_sign()
        if sign not in (",", "]"):
            raise text.broken(RefusalReason.NO_COMMA)
        text.skip()
        if sign == "]":
            return


class _Text:
    """The part of the stream that was read and is not parsed yet."""

    def __init__(self, stream: BinaryIO) -> None:
        self._lines = _characters(stream)
        self._decoder = json.JSONDecoder(parse_constant=refuse_constant)
        self._text, self._at = "", 0
        self._ended = False
        self.line, self._column = 1, 1  # of the next character

    def next_sign(self) -> str:
        """The next character that is no blank, "" at the end."""
        while True:
            match = _BLANK.match(self._text, self._at)
            assert match is not None
            self._use(match.end())
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def skip(self) -> None:
        """Use the next character."""
        self._use(self._at + 1)

    def value(self) -> Any:
        """The value that begins here."""
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if self._may_go_on(error) and self._more():
                    continue
                raise self._broken_at(error.pos, RefusalReason.INVALID_JSON) from None
            except RecursionError:
                raise self.broken(RefusalReason.NESTED_TOO_DEEPLY) from None
            except ValueError:  # a constant that is no JSON, a number of thousands of digits
                raise self.broken(RefusalReason.INVALID_NUMBER) from None
            if isinstance(value, int | float) and end > len(self._text) - _LONGEST_SIGN and self._more():
                continue  # a number may go on
            self._use(end)
            return value

    def _may_go_on(self, error: json.JSONDecodeError) -> bool:
        """Whether what was read ends too early, rather than is wrong."""
        return error.msg.startswith("Unterminated") or error.pos > len(self._text) - _LONGEST_SIGN

    def broken(self, reason: RefusalReason) -> BrokenFile:
        """The error for the next character."""
        return BrokenFile(reason, line=self.line, position=self._column)

    def _broken_at(self, place: int, reason: RefusalReason) -> BrokenFile:
        self._use(min(place, len(self._text)))
        return self.broken(reason)

    def _use(self, end: int) -> None:
        breaks = self._text.count("\n", self._at, end)
        if breaks:
            self.line += breaks
            self._column = end - self._text.rindex("\n", self._at, end)
        else:
            self._column += end - self._at
        self._at = end

    def _more(self) -> bool:
        """Read on, doubling the text that is not parsed yet up to the longest item; returns whether there was more.

        Raises ``BrokenFile`` for an item without end, and for one that would take much more memory than its text.
        """
        left = len(self._text) - self._at
        if left > MOST_ITEM_CHARS:
            raise self.broken(RefusalReason.ITEM_TOO_LONG)
        wanted = min(max(_FIRST_READ, left), MOST_ITEM_CHARS - left + 1)
        pieces = [self._text[self._at :]]
        while wanted > 0 and not self._ended:
            try:
                piece = next(self._lines, "")
            except UnicodeDecodeError:
                raise self.broken(RefusalReason.NOT_UTF8) from None
            self._ended = not piece
            pieces.append(piece)
            wanted -= len(piece)
        if not any(pieces[1:]):
            return False
        text = "".join(pieces)
        if most_values_in(text) > MOST_ITEM_SIGNS:
            raise self.broken(RefusalReason.TOO_MANY_VALUES)
        self._text, self._at = text, 0
        return True


def _characters(stream: BinaryIO) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    while piece := stream.read(_FIRST_READ):
        if text := decoder.decode(piece):
            yield text
    if text := decoder.decode(b"", final=True):
        yield text


def most_values_in(text: str | bytes) -> int:
    """How many values a JSON text may hold, at most: its brackets, braces and commas."""
    return sum(map(text.count, "[{,")) if isinstance(text, str) else sum(map(text.count, (b"[", b"{", b",")))


def refuse_constant(name: str) -> Any:
    """Raise ``ValueError`` for ``NaN`` and its like, which are no JSON. For ``parse_constant``."""
    raise ValueError(name)
