"""Hostile Word and PDF documents in disguise: what they do is written so that a search for words misses it."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Mapping
from typing import Final

from media.scanning.types import RefusalReason as Reason
from tests.media.samples import pdf, pdf_stream, relation, word

Make = Callable[[], bytes]
_ACTION: Final = b"<< /S /JavaScript /JS (app.alert(1)) >>"
_PROGRAM_IN_XML: Final = '<?xml version="1.0"?><w:notes xmlns:w="w"><w:instrText>DDEAUTO cmd</w:instrText></w:notes>'


def _template(written: str, before: str = "") -> bytes:
    """Word with a template from elsewhere; in ``written`` stands where the attributes go."""
    attributes = relation("attachedTemplate").removeprefix("<Relationship ").removesuffix("/>")
    return word(relationships=before + written.replace("{attributes}", attributes))


def _fields(*runs: str) -> str:
    """A field whose instruction stands in several runs."""
    said = "".join(f"<w:r><w:instrText>{run}</w:instrText></w:r>" for run in runs)
    return f'</w:t></w:r><w:r><w:fldChar w:fldCharType="begin"/></w:r>{said}<w:r><w:t>'


def _object_stream(names: bytes, more: bytes = b"", filters: bytes = b"/FlateDecode") -> bytes:
    return pdf_stream(b"9 0 " + names, b"/Type /ObjStm /N 1 /First 4 " + more, filters)


def _pdf_by_its_table(packed: bytes) -> bytes:
    """A PDF whose object 2, the action on opening, lies in the stream that is object 5, as its table alone says."""
    objects = {
        1: b"<< /Type /Catalog /Pages 3 0 R /OpenAction 2 0 R >>",
        3: b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
        4: b"<< /Type /Page /Parent 3 0 R /MediaBox [0 0 9 9] >>",
        5: packed,
    }
    written, rows = bytearray(b"%PDF-1.7\n"), {0: (0, 0, 255), 2: (2, 5, 0)}
    for number, body in objects.items():
        rows[number] = (1, len(written), 0)
        written += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    table = b"".join(struct.pack(">BHB", *rows[number]) for number in sorted(rows))
    start = len(written)
    described = b"/Type /XRef /Size 6 /Root 1 0 R /W [1 2 1]"
    return bytes(written + b"6 0 obj\n" + pdf_stream(table, described) + b"\nendobj\nstartxref\n%d\n%%%%EOF\n" % start)


DISGUISED: Final[Mapping[str, tuple[Reason, Make]]] = {
    "PDF with objects packed in two ways": (
        Reason.NOT_AS_IT_SEEMS,
        lambda: pdf(pdf_stream(
            zlib.compress(b"9 0 " + _ACTION).hex().encode() + b">", b"/Type /ObjStm /N 1 /First 4",
            b"[/ASCIIHexDecode /FlateDecode]", packed=False,
        )),
    ),
    "PDF that says elsewhere how objects are packed": (
        Reason.NOT_AS_IT_SEEMS, lambda: pdf(_object_stream(_ACTION, filters=b"11 0 R"), b"/FlateDecode")
    ),
    "PDF with objects written as differences": (
        Reason.NOT_AS_IT_SEEMS, lambda: pdf(_object_stream(_ACTION, b"/DecodeParms << /Predictor 12 >>"))
    ),
    "PDF with a long dictionary of packed objects": (
        Reason.NOT_AS_IT_SEEMS, lambda: pdf(_object_stream(_ACTION, b"/Pad (" + b"x" * 5_000 + b")"))
    ),
    "PDF with a false beginning of packed objects": (
        Reason.NOT_AS_IT_SEEMS, lambda: pdf(_object_stream(_ACTION, b"/Pad (obj)"))
    ),
    "PDF with objects that its table alone says are packed": (
        Reason.ACTIVE_CONTENT,
        lambda: _pdf_by_its_table(pdf_stream(b"2 0 " + _ACTION, b"/N 1 /First 4 /Pad (" + b"x" * 5_000 + b")")),
    ),
    "Word with half a part": (Reason.BROKEN, lambda: word({"word/a.xml": "<a><b>"})),
    "Word with XML in a coding of nobody's": (
        Reason.BROKEN, lambda: word({"word/a.dat": '<?xml version="1.0" encoding="UTF-7"?><a/>'})
    ),
    "Word with DDE in a part of another name": (
        Reason.ACTIVE_CONTENT, lambda: word({"word/footnotes.dat": _PROGRAM_IN_XML})
    ),
    "Word with DDE in runs that lie apart": (Reason.ACTIVE_CONTENT, lambda: word(text=_fields(" D", "DE", " cmd"))),
    "Word with DDE far down in UTF-16": (
        Reason.ACTIVE_CONTENT,
        lambda: word({"word/a.xml": _PROGRAM_IN_XML.replace("<w:instr", "x" * 32_708 + "<w:instr").encode("utf-16")}),
    ),
    "Word with DDE in one element": (
        Reason.ACTIVE_CONTENT, lambda: word(text='</w:t><w:fldSimple w:instr=" dde cmd"/><w:t>')
    ),
    "Word with a template under a prefix": (
        Reason.REMOTE_CONTENT, lambda: _template('<p:Relationship xmlns:p="x" {attributes}/>')
    ),
    "Word with a template in other letters": (
        Reason.REMOTE_CONTENT,
        lambda: word(relationships=relation("attachedTemplate", mode="&#69;xternal")),
    ),
    "Word with a template in a long element": (
        Reason.REMOTE_CONTENT, lambda: _template(f"<Relationship {' ' * 5_000}{{attributes}}/>")
    ),
    "Word with a template far down": (
        Reason.REMOTE_CONTENT,
        lambda: _template(f"<Relationship {' ' * 1_500}{{attributes}}/>", f"<!--{'y' * 64_500}-->"),
    ),
    "Word with a template behind a bracket": (
        Reason.REMOTE_CONTENT, lambda: _template('<Relationship Note="r>1" {attributes}/>')
    ),
    "Word with a template that looks like a link": (
        Reason.REMOTE_CONTENT,
        lambda: word(relationships=relation("attachedTemplate", "https://evil.example/relationships/hyperlink'")),
    ),
    "Word with an object in other letters": (
        Reason.EMBEDDED_FILES, lambda: word(relationships=relation("oleObjec&#116;", "media/a.dat", "Internal"))
    ),
}  # fmt: skip
