"""Answers of a small model that reads conversations, as the protocol wants them."""

from __future__ import annotations

import json
from typing import Any


def change_of(**fields: object) -> dict[str, Any]:
    """One entry: by default, that somebody who said "I moved to Hamburg" lives there."""
    entry: dict[str, Any] = {
        "action": "add", "related_existing_memory_id": None, "content": "Lives in Hamburg",
        "quote": "I moved to Hamburg", "type": "observation", "provenance": "observation", "confidence": 0.6,
        "epistemic_type": "fact", "slot": "home", "value": "Hamburg", "category": "home",
    }  # fmt: skip
    return entry | fields


def answer_of(*entries: dict[str, Any]) -> str:
    """An answer with these entries."""
    return json.dumps({"changes": list(entries)}, ensure_ascii=False)
