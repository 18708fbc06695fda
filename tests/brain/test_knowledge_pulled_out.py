"""B's acceptance: without knowledge, skills, files, experiments, prompt versions and questions of its own every
conversation goes as it did (B-6, seed B §6).

The whole suite of the turn, once more, with each of them replaced by what does nothing.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytest_django import Settings

from consent.permit import Permit
from finclaw.brain.answers import model_answers
from finclaw.brain.prompt.guides import SHIPPED_WORDING
from finclaw.brain.recall.attachments import NO_ATTACHMENTS
from finclaw.brain.records import turn_storage
from finclaw.brain.skills import registry
from finclaw.brain.skills.selection import choose_skill
from finclaw.brain.skills.types import SkillAccess
from finclaw.brain.types import Intent
from foundation.language import ParsedMessage
from knowledge.configuration import configured_store
from tests.brain.test_turn import *  # noqa: F403


@pytest.fixture(autouse=True)
def _pulled_out(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.KNOWLEDGE_STORE = "knowledge.stores.empty_store.EmptyStore"
    idle = tuple(replace(skill, can_handle=lambda *_: 0.0) for skill in registry.SKILLS)
    monkeypatch.setattr(registry, "SKILLS", idle)
    monkeypatch.setattr(Permit, "assignments", lambda _permit: ())
    monkeypatch.setattr(model_answers, "wording_of", lambda _assignments: SHIPPED_WORDING)
    monkeypatch.setattr(model_answers, "read_attachments", lambda _context: NO_ATTACHMENTS)
    monkeypatch.setattr(turn_storage, "choose_follow_up", lambda *_: None)


def test_there_is_nothing_to_ask() -> None:
    assert configured_store().capabilities() == frozenset()
    asked = Intent("research", 1.0, action_required=True)
    assert (
        choose_skill(asked, ParsedMessage("Run a snapshot on NVDA"), SkillAccess("owner"), frozenset()).reason == "none"
    )
