"""The tone of a role: what the organisation rules, else what its person prefers, else by tier and role (P-7)."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from foundation.accounts.models import Tenant, User
from knowledge.types import Snippet
from personas.role_tone import role_tone
from personas.types import Preference
from personas.wording import ROLE_TONES, TIER_TONES


def _snippet(kind: str, text: str, slot: str = "") -> Snippet:
    return Snippet(uuid4(), kind, "", slot, text, "", 1, 1.0)


def _preference(key: str) -> Preference:
    now = datetime(2026, 3, 2, tzinfo=UTC)
    return Preference(uuid4(), key, "warm", 0.9, "explicit", "Wants to be spoken to warmly.", uuid4(), now)


BRAND = _snippet("tone", "Speak of us as the workshop.")
RULE = _snippet("rule", "Answers are whole sentences.", "reply_style")


def test_what_the_organisation_rules_comes_first_and_overrules() -> None:
    tone = role_tone([BRAND, RULE], [_preference("reply_tone")], org_tier="brand_hq", role="owner")

    assert tone.origin == "knowledge"
    assert tone.lines == ("Answers are whole sentences.", "Speak of us as the workshop.")
    assert tone.overruled >= {"reply_tone", "reply_length", "reply_structure", "mode"}


def test_what_is_meant_for_fewer_comes_first_and_overrules_no_preference() -> None:
    role, platform = (
        _snippet("role_rule", "Viewers hear one advice."),
        _snippet("platform_tone", "Stay under 60 words."),
    )
    tone = role_tone([BRAND, platform, role], [_preference("reply_tone")], org_tier="brand_hq", role="viewer")

    assert tone.lines == ("Viewers hear one advice.", "Stay under 60 words.", "Speak of us as the workshop.")
    assert (tone.origin, tone.overruled) == ("knowledge", frozenset())


def test_a_rule_about_one_thing_overrules_that_alone() -> None:
    rule = _snippet("rule", "Three lines at most.", "reply_length")

    assert role_tone([rule], [], org_tier="brand_hq", role="owner").overruled == {"reply_length"}


def test_a_brand_tone_overrules_no_preference() -> None:
    assert role_tone([BRAND], [], org_tier="brand_hq", role="owner").overruled == frozenset()


def test_facts_and_rules_about_other_things_say_nothing_of_tone() -> None:
    others = [_snippet("fact", "We sell gold."), _snippet("rule", "Nothing above 500.", "constraint.limit")]

    assert role_tone(others, [], org_tier="franchise_store", role="viewer").origin == "default"


def test_a_preference_takes_the_place_of_the_defaults() -> None:
    tone = role_tone([], [_preference("reply_tone")], org_tier="brand_hq", role="owner")

    assert (tone.origin, tone.lines) == ("preference", ())
    assert role_tone([], [_preference("reply_length")], org_tier="brand_hq", role="owner").origin == "default"


@pytest.mark.parametrize("tier", Tenant.OrgTier.values)
@pytest.mark.parametrize("role", User.Role.values)
def test_every_tier_and_role_has_a_default(tier: str, role: str) -> None:
    assert role_tone([], [], org_tier=tier, role=role).lines == (TIER_TONES[tier], ROLE_TONES[role])


def test_outside_any_organisation_no_tone_is_assumed() -> None:
    assert role_tone([], [], org_tier="", role="editor").lines == ()
