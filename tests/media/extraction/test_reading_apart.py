"""Files are read in a process that has no secrets and is killed past its limits."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from media.extraction.isolation import extract_apart
from media.extraction.readers import PDF
from media.extraction.types import (
    ExtractedText,
    ExtractionFailed,
    ExtractionInterrupted,
    ExtractionLimits,
    Unread,
)
from tests.support.made_files import pdf_file

HERE = f"{__name__}."


class SlowReader:
    """Never comes to an end."""

    def read(self, content: bytes, limits: ExtractionLimits) -> ExtractedText:
        time.sleep(600)
        raise AssertionError("it was not killed")


class BusyReader:
    """Computes for ever."""

    def read(self, content: bytes, limits: ExtractionLimits) -> ExtractedText:
        while True:
            pass


class GreedyReader:
    """Takes more memory than it may."""

    def read(self, content: bytes, limits: ExtractionLimits) -> ExtractedText:
        return ExtractedText((str(len(bytearray(4 * 1024**3))),), ())


class CuriousReader:
    """Tells what it sees of the environment, and tries to write a file."""

    def read(self, content: bytes, limits: ExtractionLimits) -> ExtractedText:
        print("a library that prints")
        try:
            Path(content.decode()).write_bytes(b"x")
        except OSError:
            return ExtractedText((" ".join(sorted(os.environ)), "not written"), ())
        return ExtractedText(("written",), ())


def test_a_document_is_read_apart() -> None:
    assert extract_apart(pdf_file("Tea 茶"), PDF) == ExtractedText(("Tea 茶",), ("pypdf",))


@pytest.mark.parametrize(
    ("reader", "limits", "failure", "reason"),
    [
        ("SlowReader", ExtractionLimits(seconds=1), ExtractionInterrupted, Unread.TOO_SLOW),
        ("BusyReader", ExtractionLimits(cpu_seconds=1), ExtractionFailed, Unread.TOO_SLOW),
        ("GreedyReader", ExtractionLimits(memory_megabytes=300), ExtractionFailed, Unread.TOO_LARGE),
    ],
)
def test_a_reader_is_killed_at_its_limits(
    reader: str, limits: ExtractionLimits, failure: type[ExtractionFailed], reason: Unread
) -> None:
    with pytest.raises(ExtractionFailed) as refused:
        extract_apart(b"", "audio/wav", limits, speech_reader=HERE + reader)

    assert type(refused.value) is failure
    assert refused.value.reason == reason


def test_a_reader_sees_no_secrets_and_writes_no_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SECRET_KEY", "hidden")
    target = tmp_path / "file"

    read = extract_apart(str(target).encode(), "audio/wav", speech_reader=HERE + "CuriousReader")

    assert "SECRET_KEY" not in read.pages[0]
    assert "PATH" in read.pages[0]
    assert read.pages[1] == "not written"
    assert not target.exists() or not target.read_bytes()
