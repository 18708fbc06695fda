"""The words of the API's reference that no code holds: tags, headers, fields by name, and an example of each body."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from foundation.yaml_files import read_yaml

_PATH: Final = Path(__file__).parent / "data" / "reference_texts.yaml"


class SerializerTexts(BaseModel):
    """Texts of one serializer: fields that mean something else there than elsewhere, and an example of the whole."""

    model_config = ConfigDict(extra="forbid")
    fields: dict[str, str] = {}
    example: dict[str, Any] | None = None


class ReferenceTexts(BaseModel):
    """All of the file. ``fields`` holds for every serializer and parameter with a field by that name."""

    model_config = ConfigDict(extra="forbid")
    tags: dict[str, str]
    headers: dict[str, str]
    fields: dict[str, str]
    serializers: dict[str, SerializerTexts]

    def field(self, serializer: type, name: str) -> str | None:
        """What a field of a serializer without a ``help_text`` means: by the serializer or those it inherits from,
        else by its name.
        """
        own = (self.serializers.get(ancestor.__name__) for ancestor in serializer.__mro__)
        return next((texts.fields[name] for texts in own if texts and name in texts.fields), self.fields.get(name))

    def example(self, serializer: type) -> dict[str, Any] | None:
        """A body that the serializer takes or gives."""
        texts = self.serializers.get(serializer.__name__)
        return texts.example if texts else None


def reference_texts() -> ReferenceTexts:
    """The texts as the file has them now."""
    return read_yaml(_PATH, ReferenceTexts, "reference texts of the API")
