from knowledge.models.aliases import AssetAlias
from knowledge.models.entries import KnowledgeEntry

__all__ = ["AssetAlias", "KnowledgeEntry"]
