"""Plain files in both languages are read, remembered and found, whatever they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from consent.models import ErasureScope
from foundation.accounts.models import User
from media.models import MediaFile
from tests.media.attaching import ask_about
from tests.media.uploading import checked
from tests.support.cast import allow
from tests.support.erasures import forgotten
from tests.support.made_files import image_file, pdf_file, scanned_file, word_file
from tests.support.talk import open_session

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("reads_pictures")]


class PlainFile(NamedTuple):
    """A file, a question that it answers, and the word of the answer."""

    name: str
    content: bytes
    question: str
    answer: str


_TOLD = (
    ("The lease of the Lisbon office ends on 30 June.", "When does the lease of the Lisbon office end?", "30 June"),
    ("Our turbine supplier is called Nordwind.", "What is our turbine supplier called?", "Nordwind"),
    ("The audit found four open questions.", "How many open questions did the audit find?", "four"),
    ("里斯本办公室的租约在六月三十日到期。", "里斯本办公室的租约什么时候到期？", "六月三十日"),
    ("我们的涡轮机供应商叫北风。", "我们的涡轮机供应商叫什么？", "北风"),
    ("审计发现了四个未决问题。", "审计发现了多少个未决问题？", "四个"),
)


def plain_files() -> Iterator[PlainFile]:
    """Thirty: six texts, each as five kinds of file."""
    for number, (told, question, answer) in enumerate(_TOLD):
        encoding = "utf-8" if told.isascii() else "gb18030"
        for ending, content in (
            ("txt", told.encode(encoding)),
            ("pdf", pdf_file(told)),
            ("docx", word_file(told)),
            ("png", image_file(told)),
            ("pdf", scanned_file(told)),
        ):
            yield PlainFile(f"file-{number}.{ending}", content, question, answer)


FILES = tuple(plain_files())
FEW = (FILES[1], FILES[15], FILES[17])  # an English PDF, a Chinese text, a Chinese Word document


def is_found(alice: User, plain: PlainFile) -> bool:
    """Whether a file that came with one chat answers a question in another."""
    file = checked(alice, plain.content, plain.name)
    assert file.text_state == MediaFile.TextState.READ, (plain.name, file.security_reason, file.unread_reason)
    ask_about(alice, open_session(alice), "Keep this in mind", file)
    reply = ask_about(alice, open_session(alice), plain.question).reply
    forgotten(alice, ErasureScope.MEDIA, str(file.pk))
    return plain.answer in reply and file.name in reply


@pytest.mark.parametrize("plain", FEW, ids=lambda plain: plain.name)
def test_a_file_is_read_remembered_and_found(alice: User, plain: PlainFile) -> None:
    allow(alice)
    assert is_found(alice, plain)


@pytest.mark.proof
def test_all_thirty_are(alice: User) -> None:
    pytest.importorskip("rapidocr")
    allow(alice)
    assert len(FILES) == 30
    assert [plain.name for plain in FILES if not is_found(alice, plain)] == []
