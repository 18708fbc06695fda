"""Hostile files are refused, or harmless once kept; plain ones of every kind are taken."""

from __future__ import annotations

from io import BytesIO

import pytest
from PIL import Image

from media.content_types import CONTENT_TYPES, HEAD_BYTES, type_of
from media.sandbox import Limits, SandboxExceeded, SandboxFailed, SandboxInterrupted, SandboxUnavailable, run_limited
from media.scanning.inspection import inspect
from media.scanning.policy_scanner import PolicyScanner
from media.scanning.ports import ScannerInterrupted
from media.scanning.types import InspectionLimits, RefusalReason, Refused
from tests.media.hostile import HARMLESS_ONCE_KEPT, REFUSED_AT_THE_DOOR, REFUSED_BY_THE_SCANNER
from tests.media.hostile_documents import DISGUISED
from tests.media.samples import PLAIN, photograph, picture

MARKS = (b"zqcameraqz", b"zqauthorqz", b"zqcommentqz", b"zqbehindqz", b"Exif")


def _inspected(content: bytes) -> tuple[dict[str, object], bytes, bytes]:
    """What the inspection says of a file, what is kept in its place, and its thumbnail."""
    found = type_of(content[:HEAD_BYTES])
    assert found is not None
    outputs = {"content": BytesIO(), "thumbnail": BytesIO()}
    arguments = {"media_type": found.media_type, "limits": InspectionLimits().as_json()}
    answer = inspect(content, arguments, outputs)
    return answer, outputs["content"].getvalue(), outputs["thumbnail"].getvalue()


def test_there_are_more_than_ninety_of_them() -> None:
    assert len(REFUSED_AT_THE_DOOR) + len(REFUSED_BY_THE_SCANNER) + len(HARMLESS_ONCE_KEPT) > 90


@pytest.mark.parametrize("name", REFUSED_AT_THE_DOOR)
def test_what_is_refused_at_the_door(name: str) -> None:
    assert type_of(REFUSED_AT_THE_DOOR[name]()[:HEAD_BYTES]) is None


@pytest.mark.parametrize("name", [*REFUSED_BY_THE_SCANNER, *DISGUISED])
def test_what_the_scanner_refuses_and_why(name: str) -> None:
    reason, make = {**REFUSED_BY_THE_SCANNER, **DISGUISED}[name]
    answer, _, _ = _inspected(make())
    assert answer == {"refused": reason.value}


@pytest.mark.parametrize("name", HARMLESS_ONCE_KEPT)
def test_what_stands_beside_the_pixels_is_not_kept(name: str) -> None:
    answer, kept, thumbnail = _inspected(HARMLESS_ONCE_KEPT[name]())
    assert "refused" not in answer
    assert not any(mark in kept + thumbnail for mark in MARKS)
    with Image.open(BytesIO(kept)) as drawn:
        assert getattr(drawn, "n_frames", 1) == 1
        assert not drawn.getexif()


@pytest.mark.parametrize("name", PLAIN)
def test_plain_files_are_taken(name: str) -> None:
    answer, kept, _ = _inspected(PLAIN[name])
    assert "refused" not in answer
    found = CONTENT_TYPES[str(answer["media_type"])]
    assert not kept or type_of(kept[:HEAD_BYTES]) == found


def test_a_picture_that_lies_on_its_side_is_kept_upright_with_a_small_one() -> None:
    answer, kept, thumbnail = _inspected(photograph())
    assert (answer["width"], answer["height"]) == (30, 40)
    with Image.open(BytesIO(kept)) as drawn:
        assert drawn.size == (30, 40)
    answer, _, thumbnail = _inspected(picture(size=(1_600, 800)))
    with Image.open(BytesIO(thumbnail)) as small:
        assert (small.size, small.format) == ((320, 160), "JPEG")


def test_text_of_any_encoding_is_kept_as_utf_8() -> None:
    for name, said in (("gb.txt", "国标编码"), ("utf16.txt", "Two bytes"), ("zh.txt", "")):
        _, kept, _ = _inspected(PLAIN[name])
        assert said in kept.decode()


def test_the_scanner_runs_it_in_a_process_of_its_own() -> None:
    clean = PolicyScanner().scan(photograph(), CONTENT_TYPES["image/jpeg"])
    assert clean.finding.media_type == "image/jpeg"
    assert clean.content
    assert clean.thumbnail
    with pytest.raises(Refused) as refused:
        PolicyScanner().scan(picture() + b"Rar!\x1a\x07\x00", CONTENT_TYPES["image/png"])
    assert refused.value.reason == RefusalReason.TWO_KINDS


def test_what_takes_too_much_memory_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        PolicyScanner(Limits(memory_megabytes=250)).scan(picture(size=(6_000, 6_000)), CONTENT_TYPES["image/png"])
    assert refused.value.reason == RefusalReason.TOO_COSTLY


def test_a_check_that_the_clock_ends_says_nothing_of_the_file() -> None:
    with pytest.raises(ScannerInterrupted):
        PolicyScanner(Limits(seconds=0.01)).scan(picture(), CONTENT_TYPES["image/png"])


def test_the_process_is_ended_in_time_and_has_no_secrets() -> None:
    with pytest.raises(SandboxExceeded) as ended:
        run_limited("tests.media.sandboxed:never_end", b"", {}, limits=Limits(cpu_seconds=1, seconds=60))
    assert not isinstance(ended.value, SandboxInterrupted)
    for function in ("wait", "die"):
        with pytest.raises(SandboxInterrupted):
            run_limited(f"tests.media.sandboxed:{function}", b"", {}, limits=Limits(seconds=2))
    with pytest.raises(SandboxFailed, match="ValueError"):
        run_limited("tests.media.sandboxed:fail", b"", {})
    with pytest.raises(SandboxUnavailable):
        run_limited("tests.media.absent:fail", b"", {})
    names = run_limited("tests.media.sandboxed:environment", b"", {}).value
    assert set(names) <= {"PATH", "LANG", "PYTHONPATH", "LC_CTYPE"}
