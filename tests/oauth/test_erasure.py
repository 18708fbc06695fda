"""Connected programs go with the account, and leave with an export without their tokens."""

from __future__ import annotations

import pytest
from oauth2_provider.models import AccessToken, Grant, RefreshToken

from consent.erasure.services import erasure_of
from consent.export.services import files_of, request_export
from consent.models import ErasureScope, Sources
from finclaw.erasure import forget
from finclaw.web.erasure_progress import show_receipt
from foundation.accounts.models import ConnectedProgram, User
from foundation.accounts.scopes import ALL_SCOPES
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from tests.consent.export.support import everything, rows_of
from tests.support.cast import allow
from tests.support.oauth import Assistant, register

pytestmark = pytest.mark.django_db(transaction=True)


def connected(user: User) -> Assistant:
    allow(user)
    assistant = Assistant(register(client_name="Notebook").json()["client_id"])
    assistant.connect(user)
    assistant.ask(user)  # and a code that nobody fetched
    return assistant


def test_they_are_erased_with_the_account(alice: User, bob: User) -> None:
    connected(alice)
    others = connected(bob)
    with acting_as(alice.pk):
        asked = forget(alice, ErasureScope.ACCOUNT, "", Sources.REDACT, source="api")
    drain()
    with acting_as(alice.pk):
        done = erasure_of(alice.pk, asked.pk)
        shown = show_receipt(done)
        assert not ConnectedProgram.objects.exists()
    assert done.state == "completed", [step.reason for step in done.steps.all()]
    for model in (AccessToken, RefreshToken, Grant):
        assert set(model.objects.values_list("user", flat=True)) == {bob.pk}
    assert "oauth2_provider" not in str(shown["checked"])
    assert others.refresh().status_code == 200


def test_an_export_names_them_and_holds_no_token(alice: User) -> None:
    assistant = connected(alice)
    with acting_as(alice.pk):
        request_export(alice, source="web")
    drain()
    [path] = files_of(alice.pk)
    [program] = rows_of(path, alice, "connected_programs.json")
    assert (program["name"], program["scopes"]) == ("Notebook", list(ALL_SCOPES))
    told = everything(path).decode(errors="replace")
    assert "Notebook" in told
    for token in (assistant.tokens["access_token"], assistant.tokens["refresh_token"]):
        assert token not in told
