"""Tables of what to do with sensitive text (reject, mask, keep), by its kind and its field."""

from __future__ import annotations

from enum import StrEnum

from consent.sensitive.types import SensitiveKind


class SensitivePolicy(StrEnum):
    """Refuse the whole field, store it with the fragment replaced by ``[redacted:<kind>]``, or store it as it is."""

    REJECT = "reject"
    MASK = "mask"
    KEEP = "keep"


# With one of these anybody can steal money or an identity: every field refuses them, and tells the user at once.
SECRETS = frozenset(
    {
        SensitiveKind.PRIVATE_KEY,
        SensitiveKind.SEED_PHRASE,
        SensitiveKind.API_KEY,
        SensitiveKind.BANK_CARD,
        SensitiveKind.IDENTITY_CARD,
        SensitiveKind.PASSPORT,
        SensitiveKind.SOCIAL_SECURITY,
        SensitiveKind.HKID,
        SensitiveKind.TW_ID,
    }
)

# The policy for every other kind: addresses, numbers, accounts, names.
FIELD_POLICIES: dict[str, SensitivePolicy] = {
    # Free text, where an address may be part of something worth keeping.
    "content": SensitivePolicy.MASK,
    "prompt": SensitivePolicy.MASK,
    "body": SensitivePolicy.MASK,
    "action_summary": SensitivePolicy.MASK,
    "new_info": SensitivePolicy.MASK,
    "canonical_text": SensitivePolicy.MASK,
    "reason": SensitivePolicy.MASK,
    "query": SensitivePolicy.MASK,
    "persona_document": SensitivePolicy.MASK,
    "file_name": SensitivePolicy.MASK,
    # Short texts that a mask would make useless.
    "knowledge": SensitivePolicy.REJECT,
    "comment": SensitivePolicy.REJECT,  # a feedback's
    "title": SensitivePolicy.REJECT,
    "cognition_object": SensitivePolicy.REJECT,
    "location": SensitivePolicy.REJECT,
    "username": SensitivePolicy.REJECT,
    "display_name": SensitivePolicy.REJECT,
    "group_name": SensitivePolicy.REJECT,
    "token_name": SensitivePolicy.REJECT,
    "program_name": SensitivePolicy.REJECT,
    "tenant_name": SensitivePolicy.KEEP,
    # Identifiers, notes, and fields in which users state their context.
    "name": SensitivePolicy.REJECT,  # of a speaker in a conversation handed in
    "request_id": SensitivePolicy.REJECT,
    "kill_switch_reason": SensitivePolicy.REJECT,
    "experiment_name": SensitivePolicy.REJECT,
    "experiment_purpose": SensitivePolicy.REJECT,
    "prompt_guide": SensitivePolicy.REJECT,  # it stands in everybody's prompt
    "prompt_version_note": SensitivePolicy.REJECT,
    "reference": SensitivePolicy.REJECT,  # of a request of erasure
    "Idempotency-Key": SensitivePolicy.REJECT,
    "external_id": SensitivePolicy.KEEP,  # often an e-mail address, by which an organisation identifies its people
    "consent_statement": SensitivePolicy.KEEP,  # shown by an organisation to everybody, with its contact address
    "metadata": SensitivePolicy.REJECT,
    "persona_notes": SensitivePolicy.REJECT,
    "feedback_note": SensitivePolicy.REJECT,
    "user_focus_reason": SensitivePolicy.REJECT,
    "research_style": SensitivePolicy.REJECT,
    "user_stated_position_context": SensitivePolicy.REJECT,
    "time_horizon": SensitivePolicy.REJECT,
    "constraints": SensitivePolicy.REJECT,
    "refresh_conditions": SensitivePolicy.REJECT,
}

# Fields that are meant to hold a person's name.
NAMES = frozenset({"username", "display_name", "name"})


def policy_for(field: str, kind: SensitiveKind) -> SensitivePolicy:
    """The policy of a kind of sensitive text in a field. Raises ``KeyError`` for an unknown field."""
    if kind is SensitiveKind.PERSONAL_NAME and field in NAMES:
        return SensitivePolicy.KEEP
    return SensitivePolicy.REJECT if kind in SECRETS else FIELD_POLICIES[field]
