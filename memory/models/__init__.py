from memory.models.contexts import UserContext
from memory.models.events import CognitiveEvent, CognitiveJob
from memory.models.evolution import EvolutionEvent
from memory.models.experience import AgentExperience
from memory.models.items import MemoryItem
from memory.models.profiles import EntityProfile
from memory.models.proposals import EvolutionProposal
from memory.models.quality import AcceptanceReport
from memory.models.receipts import Receipt, ReceiptLine
from memory.models.search import SearchEntry
from memory.models.sessions import ConversationEvent, Session

__all__ = [
    "AcceptanceReport",
    "AgentExperience",
    "CognitiveEvent",
    "CognitiveJob",
    "ConversationEvent",
    "EntityProfile",
    "EvolutionEvent",
    "EvolutionProposal",
    "MemoryItem",
    "Receipt",
    "ReceiptLine",
    "SearchEntry",
    "Session",
    "UserContext",
]
