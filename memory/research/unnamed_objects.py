"""Names the object of research where no words name it: none did, or those that did are erased."""

from __future__ import annotations

from typing import Final

from foundation.language import Language
from foundation.lexicon import read_lexicon
from memory.models import ObjectKind
from memory.research.types import CognitionObject, StatementSource

ERASED: Final = StatementSource("erased")
_UNNAMED: Final = read_lexicon(__file__).sentence("unnamed")


def unnamed_object(language: Language) -> CognitionObject:
    """An object that nothing names, in words of the product's own."""
    return CognitionObject(ObjectKind.THEME, _UNNAMED[language])


def is_unnamed(about: CognitionObject) -> bool:
    """Whether an object is one that nothing names, so that two of them have nothing in common."""
    return about.name in _UNNAMED.values()
