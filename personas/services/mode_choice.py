"""Stores the default persona mode that a user chooses in settings. Call in a transaction acting for the user."""

from __future__ import annotations

from django.utils import timezone
from django.utils.translation import gettext as _

from consent.permit import Permit
from consent.services import hold_permit
from foundation.exceptions import ValidationFailed
from foundation.language import Language
from foundation.personal_data import ConsentScope
from memory.confidence import EXPLICIT_CONFIDENCE
from memory.evolution.slots import USER_SUBJECT
from memory.models import MemoryItem
from memory.services import items
from memory.services.history import Actor
from memory.services.versions import ItemDraft
from personas.configuration import configured_persona
from personas.exceptions import PersonaModesOff, PersonaWriteBackOff
from personas.models import PersonaSignal
from personas.services import telemetry
from personas.services.preferences import OUTDATED, PERSONA, SLOT, as_preference, open_memory
from personas.services.write_back import CATEGORY
from personas.types import MODES, Preference
from personas.wording import preference_sentence

KEY = "mode"


def choose_mode(permit: Permit, mode: str, language: Language = "en") -> Preference:
    """Make ``mode`` the one in which conversations begin: a stated preference, which replaces the one before.

    Raises ``ConsentScopeMissing`` without ``memory_learning_allowed``, ``PersonaModesOff`` and
    ``PersonaWriteBackOff`` if the installation lets users choose or store none, ``ValidationFailed`` for no mode.
    """
    permit.require(ConsentScope.MEMORY_LEARNING)
    if not configured_persona().dynamic_modes:
        raise PersonaModesOff()
    if not configured_persona().write_back:
        raise PersonaWriteBackOff()
    if mode not in MODES:
        raise ValidationFailed(details={"mode": [_("One of %(values)s.") % {"values": ", ".join(MODES)}]})
    hold_permit(permit)
    item = _store_choice(permit, mode, language)
    PersonaSignal.objects.filter(user_id=permit.user_id, slot=KEY).delete()  # what was counted or asked is settled
    telemetry.write_back_decided(None, KEY, "explicit", "chosen_in_settings")
    telemetry.preference_persisted(None, item.pk, KEY, "explicit")
    return as_preference(item)


def _store_choice(permit: Permit, mode: str, language: Language) -> MemoryItem:
    known = open_memory(permit, KEY)
    if known is None:
        return items.write(permit, _mode_draft(mode, language), actor=Actor.PERSON).item
    if known.value == mode and known.epistemic_type != OUTDATED:
        return items.confirm(permit, known.pk, rule="persona.explicit")
    return items.supersede(permit, known, _mode_draft(mode, language), actor=Actor.PERSON)


def _mode_draft(mode: str, language: Language) -> ItemDraft:
    return ItemDraft(
        content=preference_sentence(KEY, mode, language),
        memory_type=PERSONA,
        epistemic_type=MemoryItem.EpistemicType.PREFERENCE,
        provenance=MemoryItem.Provenance.CONFIRMED_BY_USER,
        confidence=EXPLICIT_CONFIDENCE,
        category=CATEGORY,
        attributes={"subject": USER_SUBJECT, "slot": SLOT.format(KEY), "value": mode, "polarity": "positive"},
        valid_at=timezone.now(),
        detail={"rule": "persona.explicit", "message_ids": []},
    )
