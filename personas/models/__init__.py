"""Models of the persona: documents, style signals, modes."""

from personas.models.documents import PersonaDocument, UserDocument
from personas.models.signals import PersonaSignal
from personas.models.states import PersonaState

__all__ = ["PersonaDocument", "PersonaSignal", "PersonaState", "UserDocument"]
