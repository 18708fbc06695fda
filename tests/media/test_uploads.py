"""Files over the API: one's own alone, known by their content, within limits, safe before they are given out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from pytest_django import Settings
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from media.content_types import ContentType
from media.exceptions import MediaNotSafe
from media.models import MediaFile
from media.scanning import clamav
from media.scanning.ports import ScannerUnavailable
from media.scanning.types import CleanContent, InspectedFile, RefusalReason, Refused
from media.scans import find_safe
from media.services import require_safe
from tests.api.test_route_policy import METHODS
from tests.media.samples import pdf, photograph, picture, word
from tests.media.uploading import MEDIA, checked, content_of, reread, upload
from tests.support.api import MISSING, code_of, send
from tests.support.cast import allow
from tests.support.statements import count_statements

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _decided(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)


def _count(user: User) -> int:
    with acting_as(user.pk):
        return MediaFile.objects.count()


def test_nobody_reaches_anothers(as_alice: APIClient, as_bob: APIClient) -> None:
    made = upload(as_alice, picture())
    drain()
    path = made["Location"]
    assert as_alice.get(f"{path}/content").status_code == 200
    for suffix in ("", "/content", "/thumbnail"):
        assert as_bob.get(path + suffix).status_code == 404
        assert as_bob.get(f"{MEDIA}/{MISSING}{suffix}").status_code == 404
    assert as_bob.delete(path).status_code == 404
    assert as_bob.get(MEDIA).json()["results"] == []


@pytest.mark.parametrize("method", [method for method in METHODS if method not in {"GET", "POST"}])
def test_other_methods_are_refused(as_alice: APIClient, method: str) -> None:
    answer = send(as_alice, method, MEDIA, b"")
    assert (answer.status_code, code_of(answer)) == (405, "method_not_allowed")


def test_a_list_asks_as_often_for_many_files_as_for_one(as_alice: APIClient) -> None:
    upload(as_alice, picture())
    alone = count_statements(lambda: as_alice.get(MEDIA))
    for shade in range(3):
        upload(as_alice, picture(color=(shade, 1, 1)))

    assert count_statements(lambda: as_alice.get(MEDIA)) == alone
    assert [file["in_use"] for file in as_alice.get(MEDIA).json()["results"]] == [False] * 4


def test_a_file_is_sent_checked_listed_and_downloaded(as_alice: APIClient) -> None:
    made = upload(as_alice, photograph(), "../on the beach.exe")
    assert made.status_code == 202
    body = made.json()
    assert (body["name"], body["media_type"], body["kind"]) == ("on the beach.exe.jpg", "image/jpeg", "image")
    assert body["security_status"] == "pending"
    pending = as_alice.get(f"{made['Location']}/content")
    assert (pending.status_code, code_of(pending)) == (422, "media_not_safe")
    drain()
    [listed] = as_alice.get(MEDIA).json()["results"]
    assert (listed["security_status"], listed["width"], listed["has_thumbnail"]) == ("safe", 30, True)
    answer = as_alice.get(f"{made['Location']}/content")
    content = b"".join(answer)
    assert content.startswith(b"\xff\xd8")
    assert b"zqcameraqz" not in content
    assert answer["Content-Length"] == str(len(content))
    assert answer["Content-Type"] == "image/jpeg"
    assert answer["Content-Disposition"] == 'attachment; filename="on the beach.exe.jpg"'
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Security-Policy"] == "default-src 'none'; sandbox"
    small = as_alice.get(f"{made['Location']}/thumbnail")
    assert b"".join(small).startswith(b"\xff\xd8")


def test_an_unsafe_file_is_refused_with_its_reason_and_not_kept(as_alice: APIClient, media_folder: Path) -> None:
    made = upload(as_alice, picture() + b"Rar!\x1a\x07\x00")
    drain()
    told = as_alice.get(made["Location"]).json()
    assert (told["security_status"], told["security_reason"]) == ("unsafe", "two_kinds")
    assert code_of(as_alice.get(f"{made['Location']}/content")) == "media_not_safe"
    assert not [path for path in media_folder.rglob("*") if path.is_file()]


def test_one_unsafe_file_refuses_them_all(alice: User) -> None:
    good, bad = checked(alice, picture()), checked(alice, pdf(b"<< /S /JavaScript >>"), "a.pdf")
    with acting_as(alice.pk):
        permit = allow(alice)
        assert [media.pk for media in require_safe(permit, [good.pk])] == [good.pk]
        with pytest.raises(MediaNotSafe) as refused:
            require_safe(permit, [good.pk, bad.pk])
    assert refused.value.details["media"] == [
        {"media_id": str(bad.pk), "security_status": "unsafe", "security_reason": "active_content"}
    ]


def test_the_content_tells_the_kind_not_the_name(as_alice: APIClient) -> None:
    assert code_of(upload(as_alice, b"MZ\x90\x00" + b"\x00" * 99, "holiday.png")) == "unsupported_media_type"
    assert upload(as_alice, pdf(), "holiday.png").json()["name"] == "holiday.png.pdf"


@pytest.mark.parametrize(
    ("body", "content_type", "code"),
    [
        (b"{}", "application/json", "unsupported_media_type"),
        (picture(), "image/png", "unsupported_media_type"),
        (b"", "multipart/form-data; boundary=x", "validation_error"),
        (b"nonsense", "multipart/form-data; boundary=x", "validation_error"),
        (b"nonsense", "multipart/form-data", "validation_error"),
    ],
)
def test_malformed_bodies_are_refused(as_alice: APIClient, body: bytes, content_type: str, code: str) -> None:
    answer = send(as_alice, "POST", MEDIA, body, content_type)
    assert (400 <= answer.status_code < 500, code_of(answer)) == (True, code)


def test_an_empty_file_and_a_wrong_field_are_refused(as_alice: APIClient, alice: User) -> None:
    assert code_of(upload(as_alice, b"")) == "validation_error"
    assert code_of(upload(as_alice, picture(), field="other")) == "unsupported_media_type"
    assert _count(alice) == 0


def test_the_same_bytes_are_one_file_of_each_user(as_alice: APIClient, as_bob: APIClient, alice: User) -> None:
    first = upload(as_alice, picture(), "a.png").json()["media_id"]
    drain()
    assert upload(as_alice, picture(), "b.png").json()["media_id"] == first
    assert upload(as_bob, picture(), "b.png").json()["media_id"] != first
    assert _count(alice) == 1


def test_a_file_too_large_is_refused_before_it_is_read(as_alice: APIClient, settings: Settings) -> None:
    settings.MEDIA_MAX_BYTES = 20_000
    settings.UPLOAD_PATHS = {MEDIA: 20_000}
    noise = picture(size=(200, 200)) + bytes(range(256)) * 100
    assert upload(as_alice, noise).status_code == 413
    answer = as_alice.generic(
        "POST", MEDIA, "x", content_type="multipart/form-data; boundary=x", CONTENT_LENGTH="9999999"
    )
    assert (answer.status_code, code_of(answer)) == (413, "payload_too_large")


def test_a_user_has_so_much_room(as_alice: APIClient, settings: Settings) -> None:
    settings.MEDIA_QUOTA_FILES = 1
    assert upload(as_alice, picture()).status_code == 202
    answer = upload(as_alice, picture(color=(1, 1, 1)))
    assert (answer.status_code, code_of(answer)) == (409, "media_quota_reached")
    settings.MEDIA_QUOTA_FILES, settings.MEDIA_QUOTA_BYTES = 9, 90
    assert code_of(upload(as_alice, picture(color=(1, 1, 1)))) == "media_quota_reached"


def test_the_room_that_a_cleaned_copy_takes_counts(alice: User, as_alice: APIClient, settings: Settings) -> None:
    media = checked(alice, "中".encode("gb18030") * 100, "a.txt")
    assert (media.size, media.stored_size) == (200, 300)
    settings.MEDIA_QUOTA_BYTES = 350
    assert code_of(upload(as_alice, b"b" * 100, "b.txt")) == "media_quota_reached"
    assert upload(as_alice, b"b" * 50, "b.txt").status_code == 202


def test_a_cleaned_copy_that_is_far_too_large_is_refused(settings: Settings) -> None:
    @dataclass
    class Growing:
        size: int

        def scan(self, content: bytes, content_type: ContentType) -> CleanContent:
            return CleanContent(InspectedFile(content_type.media_type), bytes(self.size))

    settings.MEDIA_MAX_BYTES = 100
    assert find_safe(b"", "image/png", Growing(200)).content
    with pytest.raises(Refused) as refused:
        find_safe(b"", "image/png", Growing(201))
    assert refused.value.reason == RefusalReason.TOO_LARGE_INSIDE


def test_a_name_that_must_not_be_kept_is_not(alice: User) -> None:
    media = checked(alice, word(), "card 4111 1111 1111 1111\u202e.docx")
    assert media.name == "document.docx"
    assert media.security_status == "safe"


def test_without_a_decision_on_consent_nothing_is_kept(charlie: User, as_charlie: APIClient) -> None:
    assert code_of(upload(as_charlie, picture())) == "profile_consent_required"


def test_a_storage_that_fails_leaves_no_row(alice: User, as_alice: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("no room")

    monkeypatch.setattr("media.storage.save", fail)
    assert upload(as_alice, picture()).status_code == 500
    assert _count(alice) == 0


def test_while_the_scanner_is_down_files_are_not_checked_and_then_checked_again(
    alice: User, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.MEDIA_CLAMAV, settings.OUTBOX_MAX_ATTEMPTS = "/nowhere/clamd.sock", 1
    with pytest.raises(ScannerUnavailable):
        clamav.require_unknown_to_clamav("/nowhere/clamd.sock", b"", seconds=1)
    media = checked(alice, picture())
    assert (media.security_status, media.security_reason) == ("failed", "scanner_unavailable")
    settings.MEDIA_CLAMAV, settings.OUTBOX_MAX_ATTEMPTS = "", 5
    again = checked(alice, picture())
    assert (again.pk, again.security_status, again.security_reason) == (media.pk, "safe", "")
    assert content_of(reread(media)).startswith(b"\x89PNG")
