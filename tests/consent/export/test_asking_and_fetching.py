"""Asking for an export, the link that opens it, and letting go of it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.core.signing import TimestampSigner
from django.utils import timezone

from consent.export import services
from consent.models import DataExport
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound
from foundation.outbox.models import OutboxMessage
from tests.consent.export.support import archive_of, asked, now_of


@pytest.fixture
def ready(alice: User) -> DataExport:
    """An export of Alice's whose archive stands on the disk."""
    return make_ready(alice)


def make_ready(user: User) -> DataExport:
    export = asked(user)
    archive_of(export).parent.mkdir(parents=True, exist_ok=True)
    archive_of(export).write_bytes(b"an archive")
    with acting_as(user.pk):
        DataExport.objects.filter(pk=export.pk).update(
            state="ready", size=10, sha256="0" * 64, expires_at=timezone.now() + timedelta(days=7)
        )
    return now_of(export)


def _link(export: DataExport) -> str:
    link = services.download_link(export, timezone.now())
    assert link is not None
    return link


def test_anothers_export_is_not_found(ready: DataExport, charlie: User) -> None:
    with acting_as(charlie.pk), pytest.raises(NotFound):
        services.export_of(charlie, ready.pk)


def test_one_under_way_is_answered_again_and_queued_once(alice: User) -> None:
    first, second = asked(alice), asked(alice)

    assert (first.pk, first.state, first.source) == (second.pk, "pending", "api")
    with acting_as(alice.pk):
        message = OutboxMessage.objects.get(topic=services.EXPORT_TOPIC)
    assert message.payload == {"export": str(first.pk)}


def test_after_one_is_ready_another_may_be_asked_for(alice: User, ready: DataExport) -> None:
    assert asked(alice).pk != ready.pk


def test_a_link_opens_the_archive_without_its_person(ready: DataExport) -> None:
    download = services.open_export(_link(ready))

    with download.file as file:
        assert file.read() == b"an archive"
    assert download.name == f"finclaw-{ready.created_at:%Y-%m-%d}.zip"


@pytest.mark.parametrize(
    "forge",
    [
        lambda link: "",
        lambda link: "\0" + link,
        lambda link: link[:-1],
        lambda link: link.replace(":", "-"),
        lambda link: f"{'0' * 32}{link[32:]}",
        lambda link: TimestampSigner(salt="another purpose").sign(link.partition(":")[0]),
        lambda link: TimestampSigner(salt=services._SALT).sign("nothing"),
        lambda link: "茶" * 300,
    ],
)
def test_a_forged_link_opens_nothing(ready: DataExport, forge: Callable[[str], str]) -> None:
    with pytest.raises(NotFound):
        services.open_export(forge(_link(ready)))


def test_a_link_for_another_persons_export_opens_nothing(ready: DataExport, charlie: User) -> None:
    """Well signed, but its person and its export do not belong together."""
    signer = TimestampSigner(salt=services._SALT)

    with pytest.raises(NotFound):
        services.open_export(signer.sign(f"{charlie.pk.hex}{ready.pk.hex}"))


def test_an_expired_link_opens_nothing_and_none_is_given(ready: DataExport) -> None:
    link = _link(ready)

    with time_machine.travel(timezone.now() + timedelta(days=7, seconds=1), tick=False):
        assert services.download_link(ready, timezone.now()) is None
        with pytest.raises(NotFound):
            services.open_export(link)


def test_a_link_lives_as_long_as_the_setting_says(ready: DataExport, settings: Any) -> None:
    settings.EXPORT_LINK_HOURS = 1
    link = _link(ready)

    with time_machine.travel(timezone.now() + timedelta(hours=2), tick=False), pytest.raises(NotFound):
        services.open_export(link)


def test_an_export_that_is_not_ready_has_no_link(alice: User) -> None:
    assert services.download_link(asked(alice), timezone.now()) is None


def test_what_is_removed_is_gone_and_its_link_opens_nothing(ready: DataExport, charlie: User, folder: Path) -> None:
    link = _link(ready)
    others = make_ready(charlie)
    archive_of(ready).with_name(f"{ready.pk}.x.partial").write_bytes(b"half")
    assert len(services.files_of(ready.user_id)) == 2

    assert services.remove_exports_of(ready.user_id) == 2

    assert services.files_of(ready.user_id) == []
    assert services.remove_exports_of(ready.user_id) == 0
    assert now_of(ready).state == "expired"
    with pytest.raises(NotFound):
        services.open_export(link)
    assert archive_of(others).exists()
