from memory.models.contexts import TaskContext, ThreadContext, UserContext
from memory.models.events import CognitiveEvent, CognitiveJob
from memory.models.evolution import EvolutionEvent
from memory.models.experience import AgentExperience
from memory.models.imports import ChatImport
from memory.models.items import BROUGHT_BY, IMPORTED_FROM, PROGRAM, MemoryItem
from memory.models.profiles import EntityProfile
from memory.models.projection import Projection
from memory.models.proposals import EvolutionProposal
from memory.models.quality import AcceptanceReport, TrackingEntry
from memory.models.receipts import Receipt, ReceiptLine
from memory.models.research import Checkpoint, ObjectKind, Refresh, ResearchTask, Route, Snapshot, Thread, WatchQuestion
from memory.models.search import SearchEntry
from memory.models.sessions import ConversationEvent, ReplyProcess, Session
from memory.models.tool_receipts import ToolReceipt
from memory.models.training import TrainingAssetCandidate

__all__ = [
    "BROUGHT_BY",
    "IMPORTED_FROM",
    "PROGRAM",
    "AcceptanceReport",
    "AgentExperience",
    "ChatImport",
    "Checkpoint",
    "CognitiveEvent",
    "CognitiveJob",
    "ConversationEvent",
    "EntityProfile",
    "EvolutionEvent",
    "EvolutionProposal",
    "MemoryItem",
    "ObjectKind",
    "Projection",
    "Receipt",
    "ReceiptLine",
    "Refresh",
    "ReplyProcess",
    "ResearchTask",
    "Route",
    "SearchEntry",
    "Session",
    "Snapshot",
    "TaskContext",
    "Thread",
    "ThreadContext",
    "ToolReceipt",
    "TrackingEntry",
    "TrainingAssetCandidate",
    "UserContext",
    "WatchQuestion",
]
