"""Demo people are made by a local start without users alone, and their passwords are shown once and kept nowhere."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from finclaw.startup import ways_to_sign_in
from foundation.accounts.models import User
from tests.support.cast import PASSWORD, make_person

pytestmark = pytest.mark.django_db
LOCAL = "127.0.0.1"


@pytest.fixture(autouse=True)
def _installation(settings: Settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    settings.DATABASE_URL, settings.HTTPS = "", False


def words_on_disk(folder: Path) -> str:
    """Everything that lies in the data folder."""
    return " ".join(file.read_text() for file in folder.rglob("*") if file.is_file())


def test_a_first_local_start_shows_two_passwords_once(tmp_path: Path) -> None:
    shown = ways_to_sign_in(LOCAL)
    passwords = {line.split()[0]: line.split()[1] for line in shown[:2]}
    assert set(passwords) == {"alice", "operator"}
    for username, password in passwords.items():
        assert User.objects.get(username=username).check_password(password)
    later = " ".join(ways_to_sign_in(LOCAL))
    assert "alice, operator" in later
    assert "demo_people --reset" in later
    assert not [password for password in passwords.values() if password in later + words_on_disk(tmp_path)]


@pytest.mark.parametrize(
    ("host", "changed"),
    [
        (LOCAL, {"HTTPS": True}), (LOCAL, {"DATABASE_URL": "postgresql://somewhere/finclaw"}),
        ("192.168.1.7", {}), ("::", {}), ("finclaw.example", {}),
    ],
)  # fmt: skip
def test_no_start_that_others_can_reach_makes_anybody(
    settings: Settings, host: str, changed: dict[str, object]
) -> None:
    for name, value in changed.items():
        setattr(settings, name, value)
    assert ways_to_sign_in(host) == []
    assert not User.objects.exists()


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "::1"])
def test_a_start_on_this_machine_does(host: str) -> None:
    assert ways_to_sign_in(host)
    assert User.objects.count() == 2


def test_a_start_where_somebody_signed_up_makes_nobody() -> None:
    make_person("bob")
    assert ways_to_sign_in(LOCAL) == []
    assert [user.username for user in User.objects.all()] == ["bob"]


def test_passwords_that_an_earlier_version_kept_are_deleted_and_the_people_stay(tmp_path: Path) -> None:
    make_person("alice")
    kept = tmp_path / "demo-sign-ins.json"
    kept.write_text(json.dumps([{"username": "alice", "password": PASSWORD, "is_for": "trying"}]))
    shown = " ".join(ways_to_sign_in(LOCAL))
    assert "deleted" in shown
    assert "alice" in shown
    assert not kept.exists()
    assert PASSWORD not in shown + words_on_disk(tmp_path)
    assert User.objects.get(username="alice").check_password(PASSWORD)


def test_lost_passwords_are_made_anew_for_the_demo_people_alone() -> None:
    ways_to_sign_in(LOCAL)
    bob = make_person("bob")
    out = StringIO()
    call_command("demo_people", "--reset", stdout=out)
    shown = dict(line.split()[:2] for line in out.getvalue().splitlines())
    assert set(shown) == {"alice", "operator"}
    assert User.objects.get(username="alice").check_password(shown["alice"])
    assert User.objects.get(pk=bob.pk).check_password(PASSWORD)


def test_an_alice_of_ones_own_is_no_demo_person() -> None:
    alice = make_person("alice")
    for arguments in ((), ("--reset",)):
        with pytest.raises(CommandError):
            call_command("demo_people", *arguments)
    assert User.objects.get(pk=alice.pk).check_password(PASSWORD)


def test_they_can_be_made_by_hand_on_this_machine_and_never_with_https(settings: Settings) -> None:
    settings.HTTPS = True
    with pytest.raises(CommandError, match="without HTTPS"):
        call_command("demo_people")
    settings.HTTPS = False
    call_command("demo_people", stdout=StringIO())
    assert User.objects.count() == 2
