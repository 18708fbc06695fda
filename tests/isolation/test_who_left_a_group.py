"""Who leaves a group keeps their own words, and no title made of somebody else's."""

from __future__ import annotations

import pytest

from foundation.accounts.models import User
from foundation.outbox.tasks import drain
from tests.support.api import signed_in as program_of
from tests.support.cast import allow, group_with
from tests.web.support import signed_in as browser_of

TITLE = "I follow zqbobzq."


@pytest.mark.django_db(transaction=True)
def test_the_title_of_a_conversation_they_began_is_not_theirs(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    group = group_with(alice, [bob])
    alices, bobs = program_of(alice), program_of(bob)
    session = alices.post("/api/sessions", {"group_id": str(group.pk)}).json()["session_id"]
    alices.post(f"/api/sessions/{session}/end", {"request_id": "r", "new_info": "I prefer concise answers."})
    bobs.post(f"/api/sessions/{session}/messages", {"content": TITLE})
    drain()
    assert alices.get(f"/api/sessions/{session}").json()["title"] == TITLE
    assert alices.delete(f"/api/groups/{group.pk}/members/{alice.pk}").status_code == 204
    page = browser_of(alice).get("/events/").content.decode()
    assert "concise answers" in page
    assert "zqbobzq" not in page
