"""No file is taken anywhere, signed in or not; forms without one are read as ever."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from foundation.accounts.models import User
from tests.web.support import signed_in


@pytest.fixture
def upload_folder(tmp_path: Path, settings: Settings) -> Path:
    """Where Django would keep a file over its 2.5 MB."""
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 1
    return tmp_path


def _file() -> SimpleUploadedFile:
    return SimpleUploadedFile("notes.txt", b"x" * 100_000)


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["web:sign_in", "web:sign_up", "web:recover", "admin:login"])
def test_without_signing_in_a_file_is_refused(client: Client, upload_folder: Path, name: str) -> None:
    answer = client.post(reverse(name), {"username": "alice", "password": "x", "file": _file()})

    assert answer.status_code == 415
    assert "Files are not taken here" in answer.content.decode()
    assert list(upload_folder.iterdir()) == []


@pytest.mark.parametrize("name", ["web:onboarding", "web:sign_out"])
def test_nor_with(alice: User, upload_folder: Path, name: str) -> None:
    answer = signed_in(alice).post(reverse(name), {"file": _file()})

    assert answer.status_code == 415
    assert list(upload_folder.iterdir()) == []


@pytest.mark.parametrize("enforce_csrf_checks", [False, True])
def test_the_api_takes_none_from_a_browser_either(alice: User, upload_folder: Path, enforce_csrf_checks: bool) -> None:
    browser = Client(enforce_csrf_checks=enforce_csrf_checks)
    browser.force_login(alice, "django.contrib.auth.backends.ModelBackend")
    browser.get(reverse("web:sign_in"))
    for path in ("/api/groups", "/api/auth/token", "/api/nowhere"):
        answer = browser.post(path, {"file": _file()})
        assert answer.json()["code"] in {"unsupported_media_type", "csrf_failed", "not_found"}
    assert list(upload_folder.iterdir()) == []


def test_a_form_without_a_file_may_be_multipart(alice: User) -> None:
    assert (
        signed_in(alice).post(reverse("web:onboarding"), {"acknowledged": "on", "decision": "later"}).status_code == 302
    )


@pytest.mark.django_db
def test_a_body_over_the_limit_is_refused_on_pages_too(client: Client) -> None:
    answer = client.post(reverse("web:sign_in"), {"username": "x" * settings.MAX_BODY_BYTES})

    assert answer.status_code == 413
    assert "larger than I take" in answer.content.decode()
