from knowledge.models.aliases import AssetAlias
from knowledge.models.bookmarks import Bookmark
from knowledge.models.entries import KnowledgeEntry
from knowledge.models.relations import KnowledgeRelation

__all__ = ["AssetAlias", "Bookmark", "KnowledgeEntry", "KnowledgeRelation"]
