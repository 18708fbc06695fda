"""What happens to sensitive text, by its kind and by the field it stands in. Plain tables, to be read and changed."""

from __future__ import annotations

from enum import StrEnum

from consent.sensitive.types import Kind


class Policy(StrEnum):
    """Refuse the whole field, store it with the fragment replaced by ``[redacted:<kind>]``, or store it as it is."""

    REJECT = "reject"
    MASK = "mask"
    KEEP = "keep"


# Whoever holds one of these can take money or an identity: no field takes them, and the person hears of it at once.
SECRETS = frozenset({Kind.PRIVATE_KEY, Kind.SEED_PHRASE, Kind.API_KEY, Kind.BANK_CARD, Kind.IDENTITY_CARD})

# What becomes of everything else: addresses, numbers, accounts, names.
FIELD_POLICIES: dict[str, Policy] = {
    # Said freely, where an address stands in the midst of something worth keeping.
    "content": Policy.MASK,
    "prompt": Policy.MASK,
    "body": Policy.MASK,
    "action_summary": Policy.MASK,
    "new_info": Policy.MASK,
    "canonical_text": Policy.MASK,
    "reason": Policy.MASK,
    "query": Policy.MASK,
    "persona_document": Policy.MASK,
    # Chosen words of a few lines, which a mask would make useless.
    "knowledge": Policy.REJECT,
    "comment": Policy.REJECT,  # a feedback's
    "title": Policy.REJECT,
    "location": Policy.REJECT,
    "username": Policy.REJECT,
    "display_name": Policy.REJECT,
    "group_name": Policy.REJECT,
    "token_name": Policy.REJECT,
    # What names something, and is stored to find it again.
    "name": Policy.REJECT,  # of a speaker in a conversation handed in
    "request_id": Policy.REJECT,
    "Idempotency-Key": Policy.REJECT,
    "metadata": Policy.REJECT,
    "persona_notes": Policy.REJECT,
    "user_focus_reason": Policy.REJECT,
    "research_style": Policy.REJECT,
    "user_stated_position_context": Policy.REJECT,
    "time_horizon": Policy.REJECT,
    "constraints": Policy.REJECT,
    "refresh_conditions": Policy.REJECT,
}

# Where a name is what is asked for.
NAMES = frozenset({"username", "display_name", "name"})


def policy_for(field: str, kind: Kind) -> Policy:
    """The policy of a kind in a field. Raises ``KeyError`` for a field nobody decided on."""
    if kind is Kind.PERSONAL_NAME and field in NAMES:
        return Policy.KEEP
    return Policy.REJECT if kind in SECRETS else FIELD_POLICIES[field]
