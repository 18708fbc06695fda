"""Files lie encrypted, with keys of their own under their user's, and each change of them is noticed."""

from __future__ import annotations

import tracemalloc
from io import BytesIO
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidTag
from pytest_django import Settings

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound
from media.encryption import PIECE_BYTES, PieceEncryptor, decrypted_pieces
from media.keys import new_key, rewrap
from media.models import MediaKey
from media.services import open_file
from tests.media.samples import wav
from tests.media.uploading import checked, content_of
from tests.support.cast import allow

KEY = new_key()


def _sealed(content: bytes, purpose: bytes = b"a") -> bytes:
    target = BytesIO()
    encryptor = PieceEncryptor(target, KEY, purpose)
    encryptor.feed(content)
    encryptor.finish()
    return target.getvalue()


def _opened(sealed: bytes, key: bytes = KEY, purpose: bytes = b"a") -> bytes:
    return b"".join(decrypted_pieces(BytesIO(sealed), key, purpose))


@pytest.mark.parametrize("size", [0, 1, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 3 * PIECE_BYTES])
def test_what_is_sealed_can_be_opened(size: int) -> None:
    content = bytes(number % 251 for number in range(size))
    sealed = _sealed(content)
    assert _opened(sealed) == content
    assert len(sealed) == 7 + size + 16 * max(1, -(-size // PIECE_BYTES))


def test_every_change_is_noticed() -> None:
    sealed = _sealed(bytes(2 * PIECE_BYTES + 9))
    piece = PIECE_BYTES + 16
    head, first, second = sealed[:7], sealed[7 : 7 + piece], sealed[7 + piece : 7 + 2 * piece]
    last = sealed[7 + 2 * piece :]
    flipped = bytearray(sealed)
    flipped[100] ^= 1
    changed = [
        bytes(flipped), head + second + first + last, head + first + last, head + first + second, sealed[:-1],
        sealed + b"x", sealed[:7], b"",
    ]  # fmt: skip
    for wrong in changed:
        with pytest.raises(InvalidTag):
            _opened(wrong)
    for key, purpose in ((new_key(), b"a"), (KEY, b"b")):
        with pytest.raises(InvalidTag):
            _opened(sealed, key, purpose)


def test_twenty_megabytes_take_the_memory_of_a_few_pieces(tmp_path: Path) -> None:
    path = tmp_path / "sealed"
    tracemalloc.start()
    with path.open("wb") as target:
        encryptor = PieceEncryptor(target, KEY, b"a")
        for _ in range(320):
            encryptor.feed(bytes(PIECE_BYTES))
        encryptor.finish()
    with path.open("rb") as source:
        assert sum(map(len, decrypted_pieces(source, KEY, b"a"))) == 320 * PIECE_BYTES
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20 * PIECE_BYTES


@pytest.mark.django_db(transaction=True)
def test_nothing_lies_in_the_storage_as_it_was(alice: User, media_folder: Path) -> None:
    allow(alice)
    media = checked(alice, b"zqneedleqz in a text", "a.txt")
    [path] = [path for path in media_folder.rglob("*") if path.is_file()]
    assert b"zqneedleqz" not in path.read_bytes()
    assert content_of(media) == b"zqneedleqz in a text"
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)


@pytest.mark.django_db(transaction=True)
def test_without_the_users_key_nothing_can_be_read(alice: User) -> None:
    allow(alice)
    media = checked(alice, wav(), "a.wav")
    with acting_as(alice.pk):
        MediaKey.objects.all().delete()
        with pytest.raises(NotFound):
            open_file(media)


@pytest.mark.django_db(transaction=True)
def test_the_key_of_the_installation_can_be_changed(alice: User, settings: Settings) -> None:
    allow(alice)
    media = checked(alice, wav(), "a.wav")
    settings.MEDIA_FORMER_KEYS, settings.MEDIA_KEY = [settings.MEDIA_KEY], "n" * 40
    assert content_of(media) == wav()
    with acting_as(alice.pk):
        rewrap(MediaKey.objects.get())
    settings.MEDIA_FORMER_KEYS = []
    assert content_of(media) == wav()
    settings.MEDIA_KEY = "o" * 40
    with pytest.raises(InvalidTag):
        content_of(media)
