from knowledge.models.aliases import AssetAlias
from knowledge.models.bookmarks import Bookmark
from knowledge.models.entries import KnowledgeEntry

__all__ = ["AssetAlias", "Bookmark", "KnowledgeEntry"]
