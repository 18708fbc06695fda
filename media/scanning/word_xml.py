"""Reads the XML of a Word document as the programs do that open it: names and values as they are, however written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final
from xml.parsers.expat import ExpatError, ParserCreate

from media.scanning.types import RefusalReason, Refused

_BEGINS: Final = re.compile(rb"(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*+<[?!a-z_]|\x4c\x6f\xa7\x94", re.I)
"""Markup in any coding of Unicode without its zeros, and a declaration in EBCDIC."""
_HEAD_BYTES: Final = 400
_ENCLOSING: Final = frozenset({"oleobject", "package", "afchunk", "control"})
"""Kinds of relationships, the last part of their type, whose target is a file in the file."""
_LINK: Final = "hyperlink"
_MACROS: Final = re.compile(r"macroEnabled|vbaProject", re.I)
_STARTS_PROGRAMS: Final = "dde"


def begins_as_xml(head: bytes) -> bool:
    """Whether programs may read a part that begins so as XML."""
    return _BEGINS.match(head[:_HEAD_BYTES].replace(b"\x00", b"")) is not None


class XmlInspector:
    """Takes the XML of one part piece by piece, and raises ``Refused`` for what acts, loads or encloses."""

    def __init__(self) -> None:
        self._parser = ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._refuse_entities
        self._parser.StartElementHandler = self._inspect_element
        self._parser.EndElementHandler = self._end_element
        self._parser.CharacterDataHandler = self._inspect_text
        self._is_instruction = False
        self._fields = [""]  # the instructions of fields within each other, whose runs may lie apart

    def feed(self, piece: bytes) -> None:
        """Take more of the part. Raises ``Refused``, for what is no XML with ``BROKEN``."""
        self._parse(piece, is_last=False)

    def finish(self) -> None:
        """Say that the part is complete. Raises ``Refused``."""
        self._parse(b"", is_last=True)
        for instruction in self._fields:
            _require_quiet_field(instruction)

    def _parse(self, piece: bytes, *, is_last: bool) -> None:
        try:
            self._parser.Parse(piece, is_last)
        except (ExpatError, LookupError, ValueError):  # also a coding that nobody knows
            raise Refused(RefusalReason.BROKEN) from None

    def _refuse_entities(self, *_: object) -> None:
        raise Refused(RefusalReason.NOT_AS_IT_SEEMS)

    def _inspect_element(self, name: str, attributes: Mapping[str, str]) -> None:
        local = _local(name).lower()
        given = {_local(key).lower(): value for key, value in attributes.items()}
        if local == "script" or any(map(_MACROS.search, given.values())):
            raise Refused(RefusalReason.ACTIVE_CONTENT)
        if local == "altchunk":
            raise Refused(RefusalReason.EMBEDDED_FILES)
        if local == "relationship":
            _inspect_relationship(given)
        _require_quiet_field(given.get("instr", ""))
        self._is_instruction = local == "instrtext"
        if given.get("fldchartype") == "begin":
            self._fields.append("")
        elif given.get("fldchartype") == "end" and len(self._fields) > 1:
            _require_quiet_field(self._fields.pop())

    def _end_element(self, name: str) -> None:
        self._is_instruction = False

    def _inspect_text(self, text: str) -> None:
        if self._is_instruction:
            self._fields[-1] += text


def _require_quiet_field(instruction: str) -> None:
    if instruction.strip().lower().startswith(_STARTS_PROGRAMS) or f"{_STARTS_PROGRAMS}auto" in instruction.lower():
        raise Refused(RefusalReason.ACTIVE_CONTENT)


def _inspect_relationship(given: Mapping[str, str]) -> None:
    kind = given.get("type", "").rpartition("/")[2].strip().lower()
    if kind in _ENCLOSING:
        raise Refused(RefusalReason.EMBEDDED_FILES)
    if given.get("targetmode", "").strip().lower() == "external" and kind != _LINK:
        raise Refused(RefusalReason.REMOTE_CONTENT)


def _local(name: str) -> str:
    """A name without the prefix of its namespace, which every file chooses for itself."""
    return name.rpartition(":")[2]
