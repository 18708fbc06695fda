"""An operator's second factor goes with the account, and leaves with no export."""

from __future__ import annotations

import io
import zipfile

import pytest
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from consent.erasure.services import erasure_of
from consent.export.services import files_of, request_export
from consent.models import ErasureScope, Sources
from finclaw.erasure import forget
from finclaw.web.erasure_progress import show_receipt
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from tests.support.cast import allow, make_person
from tests.support.needles import dump

pytestmark = pytest.mark.django_db(transaction=True)
BACKUP_CODE = "zqbackupzq"


@pytest.fixture
def oscar() -> tuple[User, str]:
    """An operator with an app and a backup code; answers the app's secret as it is stored."""
    user = make_person("oscar")
    allow(user)
    app = TOTPDevice.objects.create(user=user, name="app", confirmed=True)
    StaticDevice.objects.create(user=user, name="backup").token_set.create(token=BACKUP_CODE)
    return user, app.key


def test_it_is_erased_with_the_account(oscar: tuple[User, str]) -> None:
    user, secret = oscar
    assert secret in dump()
    with acting_as(user.pk):
        asked = forget(user, ErasureScope.ACCOUNT, "", Sources.REDACT, source="api")
    drain()

    with acting_as(user.pk):
        done = erasure_of(user.pk, asked.pk)
        shown = show_receipt(done)

    left = dump()
    assert done.state == "completed", [step.reason for step in done.steps.all()]
    assert secret not in left
    assert BACKUP_CODE not in left
    assert "otp_" not in str(shown["checked"])  # each place has a name that a person understands


def test_it_leaves_with_no_export(oscar: tuple[User, str]) -> None:
    user, secret = oscar
    with acting_as(user.pk):
        request_export(user, source="web")
    drain()

    (file,) = files_of(user.pk)
    with zipfile.ZipFile(io.BytesIO(file.read_bytes())) as archive:
        told = "".join(archive.read(name).decode() for name in archive.namelist())

    assert "oscar" in told
    assert secret not in told
    assert BACKUP_CODE not in told
