"""The notice of each folder of derived models names its files, their digests, licence and recipe."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path

import pytest
from django.conf import settings

FOLDERS = [settings.BASE_DIR / "foundation" / package / "data" for package in ("embeddings", "encoder")]


def noticed(folder: Path) -> list[tuple[str, str]]:
    notice = (folder / "NOTICE.md").read_text(encoding="utf-8")
    return re.findall(r"^\| `([\w.-]+)` .* `([0-9a-f]{64})` \|$", notice, re.MULTILINE)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.parent.name)
def test_every_file_is_the_one_in_the_notice(folder: Path) -> None:
    files = [file for file in folder.iterdir() if file.name != "NOTICE.md"]

    assert dict(noticed(folder)) == {file.name: sha256(file.read_bytes()).hexdigest() for file in files}


@pytest.mark.parametrize(
    ("folder", "licence", "recipe"),
    [(FOLDERS[0], "Apache License 2.0", "bench/distill_embeddings.py"), (FOLDERS[1], "MIT", "bench/build_e5.py")],
    ids=["embeddings", "encoder"],
)
def test_the_notice_names_licence_and_recipe(folder: Path, licence: str, recipe: str) -> None:
    notice = (folder / "NOTICE.md").read_text(encoding="utf-8")

    assert licence in notice
    assert recipe in notice
