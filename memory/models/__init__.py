from memory.models.contexts import UserContext
from memory.models.events import CognitiveEvent, CognitiveJob
from memory.models.items import MemoryItem
from memory.models.receipts import Receipt, ReceiptLine
from memory.models.search import SearchEntry
from memory.models.sessions import ConversationEvent, Session

__all__ = [
    "CognitiveEvent",
    "CognitiveJob",
    "ConversationEvent",
    "MemoryItem",
    "Receipt",
    "ReceiptLine",
    "SearchEntry",
    "Session",
    "UserContext",
]
