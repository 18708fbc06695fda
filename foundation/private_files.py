"""Files and folders that only the operating-system user who runs FinClaw may read, whatever the umask."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import BinaryIO

FOLDER_MODE = 0o700
FILE_MODE = 0o600
PASS_THROUGH = 0o001  # lets another user reach what lies below; PostgreSQL has one of its own where root starts it


def make_private_folder(folder: Path) -> None:
    """Create the folder and its missing parents with mode 0700; one that exists keeps its mode."""
    for missing in reversed([part for part in (folder, *folder.parents) if not part.exists()]):
        missing.mkdir(mode=FOLDER_MODE, exist_ok=True)


@contextmanager
def append_privately(file: Path) -> Iterator[BinaryIO]:
    """Open the file for reading and appending, with mode 0600 whether it is new or not."""
    make_private_folder(file.parent)
    with os.fdopen(os.open(file, os.O_RDWR | os.O_APPEND | os.O_CREAT, FILE_MODE), "ab+") as handle:
        restrict_file(file)
        yield handle


def replace_privately(file: Path, data: bytes) -> None:
    """Write the file with mode 0600, at once for whoever reads it meanwhile."""
    make_private_folder(file.parent)
    with NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}.", delete=False) as written:  # mode 0600
        written.write(data)
    Path(written.name).replace(file)


def restrict_file(file: Path) -> None:
    """Take the rights of group and others away, where the file is ours to change."""
    _restrict(file, FILE_MODE)


def restrict_data_folder(folder: Path, besides: Path) -> None:
    """Take the rights of group and others from the folder and all it holds, ``besides`` (PostgreSQL's own) apart.

    What another user owns stays as it is. The folder itself stays passable, where it was, for root's PostgreSQL.
    """
    make_private_folder(folder)
    _restrict(folder, FOLDER_MODE | (PASS_THROUGH if os.geteuid() == 0 else 0))
    for parent, folders, files in os.walk(folder):
        if Path(parent) == folder and besides.name in folders:
            folders.remove(besides.name)
        for name in folders:
            _restrict(Path(parent, name), FOLDER_MODE)
        for name in files:
            _restrict(Path(parent, name), FILE_MODE)


def _restrict(path: Path, allowed: int) -> None:
    status = path.lstat()
    if path.is_symlink() or status.st_uid != os.geteuid():
        return
    mode = status.st_mode & 0o7777
    if mode & ~allowed & 0o077:
        path.chmod(mode & ~(0o077 & ~allowed))
