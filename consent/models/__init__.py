"""Models of consent, erasure, export and audit: what may be kept, and the proof of what was done."""

from consent.models.audit import AuditEvent
from consent.models.consents import ProfileConsent
from consent.models.erasure import Erasable, ErasureFence, ErasureScope, ErasureStep, Sources, Tombstone
from consent.models.erasure_requests import ErasureRequest
from consent.models.evidence import ConsentEvidence
from consent.models.experiments import Experiment
from consent.models.exports import DataExport
from consent.models.kill_switches import Capability, KillSwitch
from consent.models.legal import LegalProfile
from consent.models.prompt_versions import PromptGuide, PromptVersion

__all__ = [
    "AuditEvent",
    "Capability",
    "ConsentEvidence",
    "DataExport",
    "Erasable",
    "ErasureFence",
    "ErasureRequest",
    "ErasureScope",
    "ErasureStep",
    "Experiment",
    "KillSwitch",
    "LegalProfile",
    "ProfileConsent",
    "PromptGuide",
    "PromptVersion",
    "Sources",
    "Tombstone",
]
