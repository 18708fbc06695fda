"""For each of the 16 scope combinations exactly what the scopes allow is written, and used (C-2).

Nothing here lists tables: a new one takes part on the day it declares itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, combinations

import pytest
from django.core.cache import cache
from django.db import transaction
from django.db.models import Model

from consent.services import grant_consent, permit_for, withdraw_consent
from finclaw.brain.recall.search import recall
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.personal_data import ConsentScope
from memory.retrieval.services import embed_query
from memory.services.sessions import start_session
from tests.consent.doors import (
    NEEDLES,
    OUR_WORDS_ALONE,
    STAYS_READABLE,
    Held,
    all_held,
    all_shown,
    all_told,
    make_ann,
    shown_at,
    use_every_door,
)
from tests.consent.support import NOTHING_LEARNED, learned, live_a_little
from tests.support.api import code_of, post, signed_in
from tests.support.cast import allow, allow_nothing

COMBINATIONS = [frozenset(chosen) for chosen in chain.from_iterable(combinations(ConsentScope, n) for n in range(5))]
# Pairs allow nothing that neither of the two allows alone, nor anything that none of the others allows: a long proof.
QUICK = [scopes for scopes in COMBINATIONS if len(scopes) != 2]
WHOLE_WALKS = "WHOLE_WALKS" in os.environ  # every address under every combination


def _name(scopes: frozenset[ConsentScope]) -> str:
    return "+".join(sorted(scopes)) or "nothing"


@pytest.fixture
def ann(db: None) -> User:
    return make_ann()


EACH = pytest.mark.parametrize(
    "scopes",
    [pytest.param(scopes, marks=() if scopes in QUICK else pytest.mark.proof) for scopes in COMBINATIONS],
    ids=map(_name, COMBINATIONS),
)


def _grant(user: User, scopes: frozenset[ConsentScope]) -> None:
    with acting_as(user.pk):
        grant_consent(user, scopes, source="api")


def _stamped(held: list[Held]) -> set[object]:
    """Every version of consent that stands on a row."""
    return {row["consent_version"] for one in held for row in one.rows if "consent_version" in row}


def _referred_to(held: Held) -> set[type[Model]]:
    """The tables that these rows name by their ids."""
    related = (field.related_model for field in held.table.model._meta.concrete_fields)
    return {model for model in related if model is not None}


def _allowed(needle: str, held: list[Held], scopes: frozenset[ConsentScope]) -> bool:
    """Whether a table that tells it is open under these scopes."""
    return any(one.scope is None or one.scope in scopes for one in held if one.tells(needle))


def test_there_are_sixteen() -> None:
    assert len(set(COMBINATIONS)) == 16


def test_the_doors_fill_every_table_under_a_scope(ann: User) -> None:
    allow(ann)
    use_every_door(ann)

    empty = [one.table.label for one in all_held(ann) if one.scope is not None and not one.rows]
    assert not empty, "nothing fills these tables: extend tests/consent/doors.py"


def test_every_table_under_a_scope_tells_something_no_other_scope_does(ann: User) -> None:
    allow(ann)
    use_every_door(ann)

    held = all_held(ann)
    telling = {needle: {one.scope for one in held if one.tells(needle)} for needle in NEEDLES}
    own = {needle: scopes for needle, scopes in telling.items() if len(scopes) == 1}
    heard = {one.table.model: one.scope for one in held if any(one.tells(needle) for needle in own)}
    silent = [
        one.table.label
        for one in held
        if one.scope is not None
        and one.table.label not in OUR_WORDS_ALONE
        and heard.get(one.table.model) != one.scope
        and one.scope not in {heard.get(referred) for referred in _referred_to(one)}  # ids of what tells it
    ]
    assert not silent, "what these tables tell could be read elsewhere: give tests/consent/doors.py a needle for them"


@EACH
def test_exactly_what_is_allowed_is_written_and_stamped(ann: User, scopes: frozenset[ConsentScope]) -> None:
    allow_nothing(ann)
    _grant(ann, scopes)
    use_every_door(ann)

    held = all_held(ann)
    filled = {one.table.label: bool(one.rows) for one in held if one.scope is not None}
    assert filled == {one.table.label: one.scope in scopes for one in held if one.scope is not None}
    assert _stamped(held) == {2 if scopes else 1}  # the same nothing again is no new version


def test_a_row_without_a_stamp_of_its_own_stands_for_one_that_has_it(ann: User) -> None:
    allow(ann)
    use_every_door(ann)

    held = {one.table.label: one for one in all_held(ann)}
    keys = {label: {row.get("id") for row in one.rows} for label, one in held.items()}
    side_tables = [one for one in held.values() if one.table.declaration.stands_for]
    assert side_tables
    for one in side_tables:
        stamped = set().union(*(keys[label] for label in one.table.declaration.stands_for))
        assert keys[one.table.label] <= stamped


@pytest.mark.timeout(600)  # up to sixteen walks through the API and the pages
def test_exactly_what_is_allowed_is_read_even_while_the_rows_are_still_there(ann: User) -> None:
    allow(ann)
    use_every_door(ann)
    held = all_held(ann)
    walked, telling = (COMBINATIONS, None) if WHOLE_WALKS else (QUICK, _telling_addresses(ann))

    read = {_name(scopes): _read_under(ann, scopes, telling) for scopes in walked}

    assert read == {
        _name(scopes): {needle for needle in NEEDLES if _allowed(needle, held, scopes)} for scopes in walked
    }


def _telling_addresses(user: User) -> set[str]:
    """The addresses that tell anything of hers at all, with everything allowed and with nothing.

    What says none of it either way is not asked again under what lies between, but by ``make prove``.
    """
    telling: set[str] = set()
    for scopes in (frozenset(ConsentScope), frozenset[ConsentScope]()):
        with _allowing(user, scopes):
            shown = shown_at(user)
        telling |= {address for address, body in shown.items() if any(needle in body for needle in NEEDLES)}
    return telling


def _read_under(user: User, scopes: frozenset[ConsentScope], only: set[str] | None) -> set[str]:
    """The needles that are read under these scopes."""
    with _allowing(user, scopes):
        told, shown = all_told(user), all_shown(user, only)
    return {needle for needle in NEEDLES if needle in told or (needle in shown and needle not in STAYS_READABLE)}


@contextmanager
def _allowing(user: User, scopes: frozenset[ConsentScope]) -> Iterator[None]:
    """Under these scopes, while the purge of what was withdrawn is queued and has not run.

    All of it is taken back then, and everything is allowed once more.
    """
    cache.clear()  # so many walks are more requests than anybody may send in a minute
    with transaction.atomic():
        _grant(user, scopes)
        yield
        transaction.set_rollback(True)


@EACH
def test_exactly_what_is_allowed_is_recalled_even_while_the_rows_are_still_there(
    alice: User, scopes: frozenset[ConsentScope]
) -> None:
    allow(alice)
    live_a_little(alice)
    _grant(alice, scopes)

    query = embed_query("short answers, a spreadsheet, a summary")
    with acting_as(alice.pk):
        permit = permit_for(alice)
        recalled = recall(permit, start_session(permit, alice), [query], alice.name)

    assert (recalled.context is not None) == (ConsentScope.SAVE_TO_PROFILE in scopes)
    kinds = {candidate.kind for candidate in recalled.candidates}
    assert kinds == ({"item", "event", "turn"} if ConsentScope.MEMORY_LEARNING in scopes else set())


def test_after_a_revocation_the_doors_store_under_no_scope(ann: User) -> None:
    permit = allow(ann)
    assert permit.consent_id is not None
    with acting_as(ann.pk):
        withdraw_consent(ann, permit.consent_id, source="api")
    use_every_door(ann)

    assert [one.table.label for one in all_held(ann) if one.scope is not None and one.rows] == []


def test_before_any_decision_no_conversation_begins_and_nothing_is_kept(ann: User) -> None:
    client = signed_in(ann)
    refused = [
        post(client, "/api/sessions", {}),
        client.patch("/api/users/me/context", {"research_depth": "deep"}),
        post(client, "/api/memories", {"text": "My villa stands in Zanzibar.", "infer": False}),
        post(client, "/api/memories", {"text": "My villa stands in Zanzibar.", "infer": True}),
    ]

    assert {answer.status_code for answer in refused} == {403}
    assert {code_of(answer) for answer in refused} <= {"profile_consent_required", "consent_scope_missing"}
    labels = {one.table.label for one in all_held(ann) if one.rows}
    assert labels == {"accounts.User", "accounts.ApiToken"}


def test_a_withdrawal_while_the_job_waits_is_seen_by_the_job(alice: User) -> None:
    allow(alice)
    live_a_little(alice)
    _grant(alice, frozenset(ConsentScope) - {ConsentScope.MEMORY_LEARNING})
    live_a_little(alice)

    assert learned(alice) == NOTHING_LEARNED
