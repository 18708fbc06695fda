"""An erasure that waited for an operator while the account went: nothing is left to find, so it completes."""

from __future__ import annotations

import pytest

from consent.erasure import services
from consent.models import ErasureScope, Sources
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.historian import services as historian
from memory.types import EndInput
from tests.support.cast import allow
from tests.support.erasures import reread
from tests.support.talk import memories, open_session, permit_of, say


@pytest.mark.parametrize("scope", [ErasureScope.ITEM, ErasureScope.EVENT, ErasureScope.SESSION, ErasureScope.PROFILE])
def test_one_sent_on_after_the_account_is_gone_completes(alice: User, scope: ErasureScope) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, "I follow BTC.")
    with acting_as(alice.pk):
        historian.end(permit_of(alice), alice, session, EndInput("r", new_info="Alice bought a vineyard."))
    drain()
    targets = {ErasureScope.ITEM: str(memories(alice)[0].pk), ErasureScope.EVENT: "r:1",
               ErasureScope.SESSION: str(session.pk), ErasureScope.PROFILE: ""}  # fmt: skip
    with acting_as(alice.pk):
        asked = forget(alice, scope, targets[scope], Sources.REDACT, source="api")
    services.escalate_erasure(asked.pk, alice.pk, reason="sla_exceeded")
    with acting_as(alice.pk):
        forget(alice, ErasureScope.ACCOUNT, "", Sources.REDACT, source="api")
    drain()

    services.retry_escalated(asked.pk, alice.pk, None)
    drain()

    assert reread(asked.pk).state == "completed"
