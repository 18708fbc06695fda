"""An archive is believed only where every name, digest, size and row count is as its manifest says. No database."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consent.export.manifest import FileEntry, Manifest, ManifestRefused, read_manifest, write_manifest
from consent.export.verification import verify_archive
from tests.support.examples import examples

PERSON = UUID("01900000-0000-7000-8000-000000000001")
FILES = {
    "items.jsonl": (b'{"a":1}\n{"a":2}\n', 2),
    "account.json": (b'[\n{"name":"\xe7\x8e\x8b"}\n]\n', 1),
    "none.json": (b"[\n]\n", 0),
    "_profile/x.json": (b'{"a":1}\n', 1),
    "people/x.md": (b"---\nname: A\n---\n\nLikes tea.\n", 1),
}


def _entries() -> list[FileEntry]:
    return [
        FileEntry(path=path, sha256=hashlib.sha256(text).hexdigest(), bytes=len(text), rows=rows)
        for path, (text, rows) in FILES.items()
    ]


def _manifest(**changes: Any) -> bytes:
    at = datetime(2026, 3, 2, tzinfo=UTC)
    given: dict[str, Any] = {"created_at": at, "user_id": PERSON, "consent_version": 1, "files": _entries()} | changes
    return write_manifest(Manifest(**given))


def _archive(path: Path, files: dict[str, bytes], manifest: bytes | None, method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as bundle:
        for name, text in files.items():
            bundle.writestr(name, text)
        if manifest is not None:
            bundle.writestr(f"{PERSON}/manifest.yaml", manifest)
    return path


def _sound() -> dict[str, bytes]:
    return {f"{PERSON}/{path}": text for path, (text, _) in FILES.items()}


@pytest.fixture
def made(tmp_path: Path) -> Callable[..., str]:
    """Make an archive and answer what verifying it objects to."""

    def make(files: dict[str, bytes] | None = None, manifest: bytes | None = b"", **options: Any) -> str:
        written = _manifest() if manifest == b"" else manifest
        verdict = verify_archive(_archive(tmp_path / "x.zip", _sound() if files is None else files, written, **options))
        return "\n".join(verdict.problems)

    return make


def test_a_sound_archive_has_no_problems(tmp_path: Path) -> None:
    verdict = verify_archive(_archive(tmp_path / "x.zip", _sound(), _manifest()))

    assert verdict.is_sound
    assert (verdict.files, verdict.rows, verdict.bytes) == (5, 5, sum(len(text) for text, _ in FILES.values()))


def test_an_archive_of_the_former_layout_is_still_verified(made: Callable[..., str]) -> None:
    former = _manifest().replace(b"schema_version: 2", b"schema_version: 1")

    assert former != _manifest()
    assert made(manifest=former) == ""


def test_a_missing_file_and_an_extra_one_are_named(made: Callable[..., str]) -> None:
    files = _sound()
    del files[f"{PERSON}/none.json"]
    files[f"{PERSON}/extra.json"] = b"[\n]\n"

    problems = made(files)

    assert f"'{PERSON}/none.json' is missing" in problems
    assert f"'{PERSON}/extra.json' is not in the manifest" in problems


def test_a_changed_word_is_found(made: Callable[..., str]) -> None:
    assert "its SHA-256 is not the manifest's" in made(_sound() | {f"{PERSON}/items.jsonl": b'{"a":1}\n{"a":3}\n'})


@pytest.mark.parametrize("text", [b'{"a":1}\n', b'{"a":1}\n{"a":2}\n{"a":3}\n'])
def test_a_file_of_another_size_is_found(made: Callable[..., str], text: bytes) -> None:
    assert "where the manifest says 16" in made(_sound() | {f"{PERSON}/items.jsonl": text})


@pytest.mark.parametrize("path", FILES)
def test_a_false_row_count_is_found(made: Callable[..., str], path: str) -> None:
    entries = [entry.model_copy(update={"rows": entry.rows + (entry.path == path)}) for entry in _entries()]

    assert f"{PERSON}/{path}': {FILES[path][1]} rows, where the manifest says" in made(
        manifest=_manifest(files=entries)
    )


@pytest.mark.parametrize(
    "manifest",
    [
        None,
        b"\xff\xfe",
        b"{",
        b"[1, 2]",
        b"schema_version: 1\n",
        b"[" * 100_000,
        b"!!python/object/apply:os.system ['true']",
        _manifest().replace(b"schema_version: 2", b"schema_version: 3"),
        _manifest() + b"more: 1\n",
        _manifest().replace(b"rows: 2", b"rows: -1"),
        _manifest().replace(b"rows: 2", b"rows: lots"),
        b"a: &a [x]\nb: [*a, *a]\n" + _manifest(),
        _manifest(user_id=UUID(int=5)),
    ],
)
def test_a_manifest_that_is_none_of_ours_is_refused(made: Callable[..., str], manifest: bytes | None) -> None:
    assert made(manifest=manifest).startswith("manifest.yaml cannot be used")


def test_a_file_listed_twice_is_refused(made: Callable[..., str]) -> None:
    assert "lists a file twice" in made(manifest=_manifest(files=[*_entries(), _entries()[0]]))


@pytest.mark.parametrize(
    "name",
    ["../evil", "/etc/passwd", f"{PERSON}/../../evil", f"{PERSON}/a\\..\\evil", "C:/evil", "alone", f"{PERSON}/./a",
     f"{PERSON}//a", f"{PERSON}/a/"],
)  # fmt: skip
def test_a_name_that_leads_elsewhere_is_refused(made: Callable[..., str], name: str) -> None:
    assert "is not a name that an archive may hold" in made(_sound() | {name: b""})


def test_a_second_folder_is_refused(made: Callable[..., str]) -> None:
    assert "not exactly one folder" in made(_sound() | {"other/items.jsonl": b""})


def test_a_name_cannot_speak_to_the_terminal(made: Callable[..., str]) -> None:
    assert "\x1b" not in made(_sound() | {f"{PERSON}/\x1b[2J": b""})


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    path = _archive(tmp_path / "x.zip", _sound(), _manifest())
    with zipfile.ZipFile(path, "a") as bundle:
        bundle.writestr(f"{PERSON}/items.jsonl", b"")

    assert "is there 2 times" in verify_archive(path).problems[0]


def test_a_link_is_refused(tmp_path: Path) -> None:
    path = _archive(tmp_path / "x.zip", _sound(), _manifest())
    link = zipfile.ZipInfo(f"{PERSON}/link")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(path, "a") as bundle:
        bundle.writestr(link, "/etc/passwd")

    assert "is a link or encrypted" in verify_archive(path).problems[0]


def test_another_way_of_packing_is_refused(made: Callable[..., str]) -> None:
    assert "packed in a way" in made(method=zipfile.ZIP_BZIP2)


def test_a_bomb_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bundle:
        for number in range(3):
            with bundle.open(f"{PERSON}/{number}.jsonl", "w") as file:
                for _ in range(40):
                    file.write(b"\0" * 1_000_000)

    assert "refused unread" in verify_archive(path).problems[0]


def test_a_size_that_lies_does_not_get_more_read_than_it_says(tmp_path: Path) -> None:
    """The directory says three bytes; what follows is larger."""
    path = _archive(tmp_path / "x.zip", {f"{PERSON}/items.jsonl": b"x" * 5_000_000}, _manifest())
    whole = path.read_bytes()
    path.write_bytes(whole.replace((5_000_000).to_bytes(4, "little"), (3).to_bytes(4, "little")))

    assert not verify_archive(path).is_sound


def test_an_archive_that_is_not_there_or_no_zip_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "text.zip").write_text("hello")

    for name in ("missing.zip", "text.zip", "."):
        assert verify_archive(tmp_path / name).problems[0].startswith("not a whole ZIP archive")


def _whole() -> bytes:
    at = io.BytesIO()
    with zipfile.ZipFile(at, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, text in _sound().items():
            bundle.writestr(name, text)
        bundle.writestr(f"{PERSON}/manifest.yaml", _manifest())
    return at.getvalue()


WHOLE = _whole()


@settings(max_examples=examples(60), deadline=None)
@given(cut=st.integers(0, len(WHOLE) - 1))
def test_a_truncated_archive_is_never_sound(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    path = tmp_path_factory.getbasetemp() / "cut.zip"
    path.write_bytes(WHOLE[:cut])

    assert not verify_archive(path).is_sound


@settings(max_examples=examples(150), deadline=None)
@given(at=st.integers(0, len(WHOLE) - 1), bit=st.integers(0, 7))
def test_a_flipped_bit_is_found_or_changes_nothing_that_is_read(
    tmp_path_factory: pytest.TempPathFactory, at: int, bit: int
) -> None:
    flipped = bytearray(WHOLE)
    flipped[at] ^= 1 << bit
    path = tmp_path_factory.getbasetemp() / "flipped.zip"
    path.write_bytes(flipped)

    if verify_archive(path).is_sound:  # a date, a permission: what the archive says is still what it said
        with zipfile.ZipFile(path) as bundle:
            assert {name: bundle.read(name) for name in bundle.namelist() if "manifest" not in name} == _sound()


def test_a_manifest_survives_its_own_yaml() -> None:
    assert read_manifest(_manifest()).files == _entries()
    with pytest.raises(ManifestRefused):
        read_manifest(b"")
