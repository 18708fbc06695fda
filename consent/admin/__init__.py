"""The operators' pages of consent, erasure, export, law and audit."""

from consent.admin import audit, consents, erasures, exports, legal

__all__ = ["audit", "consents", "erasures", "exports", "legal"]
