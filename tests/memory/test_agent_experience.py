"""What an organisation's assistant finds out about its own work: counts, shared within it, of nobody in particular."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from consent.permit import Permit
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import ERASER_ROLE, OPERATOR_ROLE, WORKER_ROLE
from foundation.ids import new_id
from foundation.personal_data import ConsentScope
from memory.models import AgentExperience, Receipt, ReceiptLine, SearchEntry
from memory.services import agent_experience
from tests.support.cast import allow, make_person
from tests.support.organisation import employ
from tests.support.talk import open_session, permit_of


@pytest.fixture
def tenant(db: None) -> Tenant:
    return Tenant.objects.create(name="Krugerrand Ltd")


def _staff(tenant: Tenant, count: int = agent_experience.FEWEST_PEOPLE) -> list[User]:
    people = [make_person(f"employee{number}") for number in range(count)]
    employ(tenant, *people)
    for person in people:
        allow(person)
    return people


def _use(
    user: User, times: int, *, utilized: int | None, kind: str = "item", intent: str = "research", **line: Any
) -> None:
    """So many memories in one prompt of the user's, of which the reply drew on ``utilized``; None: nobody looked."""
    session = open_session(user)
    with acting_as(user.pk):
        receipt = Receipt.objects.create(
            kind="injection", user=user, session=session, message_id=new_id(), policy_version="1", consent_version=1,
            intent_type=intent,
        )  # fmt: skip
        for rank in range(1, times + 1):
            drawn_on = None if utilized is None else rank <= utilized
            values = {"status": "accepted", "utilized": drawn_on} | line
            ReceiptLine.objects.create(
                receipt=receipt, user=user, kind=kind, ref_id=new_id(), rank=rank, decision_reason="relevance",
                candidate_score=0.5, **values,
            )  # fmt: skip


def _learned() -> list[AgentExperience]:
    with in_role(OPERATOR_ROLE):
        return list(AgentExperience.objects.all())


def _hints(user: User, intent: str = "research") -> tuple[str, ...]:
    with acting_as(user.pk):
        return agent_experience.experience_hints(permit_of(user), user, intent)


def test_what_replies_draw_on_becomes_a_hint_for_that_intent(tenant: Tenant) -> None:
    staff = _staff(tenant)
    for person in staff:
        _use(person, 20, utilized=18)
        _use(person, 20, utilized=1, kind="turn")
    assert agent_experience.count_usage() == 2

    item, turn = _learned()
    assert item.statistics == {"uses": 60, "utilized": 54, "people": 3}
    assert 0 < item.confidence < 1
    helpful, useless = "remembered statements were drawn on 90%", "earlier messages were drawn on 5%"
    assert [helpful in hint or useless in hint for hint in _hints(staff[0])] == [True, True]
    assert _hints(staff[0], "small_talk") == ()
    with acting_as(staff[0].pk):
        permit = permit_of(staff[0])
        assert len(agent_experience.experience_hints(permit, staff[0], "research", may_look_up=False)) == 2
    assert turn.subject == "turn"


@pytest.mark.parametrize(
    ("people", "uses", "line"),
    [
        (agent_experience.FEWEST_PEOPLE - 1, 40, {}),
        (agent_experience.FEWEST_PEOPLE, agent_experience.FEWEST_USES // agent_experience.FEWEST_PEOPLE - 1, {}),
        (agent_experience.FEWEST_PEOPLE, 40, {"utilized": None}),
        (agent_experience.FEWEST_PEOPLE, 40, {"status": "rejected"}),
    ],
    ids=["too few people", "too few uses", "nobody looked", "never injected"],
)
def test_too_little_says_nothing(tenant: Tenant, people: int, uses: int, line: dict[str, Any]) -> None:
    for person in _staff(tenant, people):
        _use(person, uses, **({"utilized": uses} | line))
    assert agent_experience.count_usage() == 0
    assert _learned() == []


def test_only_people_under_whose_consent_the_organisation_may_learn_are_counted(tenant: Tenant) -> None:
    staff = _staff(tenant)
    for person in staff:
        _use(person, 20, utilized=20)
    allow(staff[0], ConsentScope.SAVE_TO_THREAD)
    assert agent_experience.count_usage() == 0


def test_numbers_that_no_longer_carry_a_pattern_take_it_away(tenant: Tenant) -> None:
    staff = _staff(tenant)
    for person in staff:
        _use(person, 20, utilized=20)
    assert agent_experience.count_usage() == 1
    for person in staff:
        with acting_as(person.pk), in_role(ERASER_ROLE):
            Receipt.objects.update(created_at=timezone.now() - 2 * agent_experience.USES_WITHIN)
    assert agent_experience.count_usage() == 0
    assert _learned() == []


def test_another_organisation_is_told_nothing(tenant: Tenant, charlie: User) -> None:
    employ(Tenant.objects.create(name="Tanganyika Ltd"), charlie)
    allow(charlie)
    for person in _staff(tenant):
        _use(person, 20, utilized=20)
    agent_experience.count_usage()

    assert _hints(charlie) == ()
    with acting_as(charlie.pk):
        assert not AgentExperience.objects.exists()
    with acting_as(None):
        assert not AgentExperience.objects.exists()


def test_members_read_and_change_nothing(tenant: Tenant) -> None:
    staff = _staff(tenant)
    for person in staff:
        _use(person, 20, utilized=20)
    agent_experience.count_usage()
    with acting_as(staff[0].pk):
        assert AgentExperience.objects.exists()
        assert AgentExperience.objects.update(pattern="obey me") == 0
        assert not AgentExperience.objects.all().delete()[0]


def test_it_is_never_found_by_a_search_of_memory(tenant: Tenant) -> None:
    for person in _staff(tenant):
        _use(person, 20, utilized=20)
    agent_experience.count_usage()
    with in_role(OPERATOR_ROLE):
        assert not SearchEntry.objects.exists()


def test_whoever_belongs_nowhere_costs_no_query(alice: User, django_assert_num_queries: Any) -> None:
    permit: Permit = allow(alice)
    with acting_as(alice.pk), django_assert_num_queries(0):
        assert agent_experience.experience_hints(permit, alice, "research") == ()


def test_a_worker_reads_no_receipt(alice: User) -> None:
    allow(alice)
    _use(alice, 1, utilized=1)
    with in_role(WORKER_ROLE):
        assert not ReceiptLine.objects.exists()
