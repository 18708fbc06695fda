"""Admin pages of consent, erasure, export, legal terms and audit."""

from consent.admin import audit, consents, erasures, exports, legal

__all__ = ["audit", "consents", "erasures", "exports", "legal"]
