"""Who the assistant is, how a person wants to be served, and how it speaks to them now."""

from personas.models.documents import PersonaDocument, UserDocument
from personas.models.signals import PersonaSignal
from personas.models.states import PersonaState

__all__ = ["PersonaDocument", "PersonaSignal", "PersonaState", "UserDocument"]
