"""Words that nobody else ever says, and who may read them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count

_SHAPE = re.compile(r"zq\d+qz", re.IGNORECASE)


@dataclass
class Needle:
    """A word, whose it is, the group it was said in, and the kind of thing it stands in: said, title, note, stated,
    name, researched.

    ``session`` is the conversation, the task or the thread where that is known. ``gone``: its erasure was asked for.
    """

    word: str
    owner: str
    kind: str
    group: str = ""
    session: str = ""
    gone: bool = False


@dataclass
class Needles:
    """Every word ever given out."""

    by_word: dict[str, Needle] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=lambda: count(1000))

    def mint(self, owner: str, kind: str, *, group: str = "", session: str = "") -> str:
        """A new word of ``owner``, a user's id."""
        word = f"zq{next(self._numbers)}qz"
        self.by_word[word] = Needle(word, owner, kind, group, session)
        return word

    def found_in(self, text: str) -> list[Needle]:
        """The words that stand in an answer, each once."""
        return [self.by_word[word] for word in {found.lower() for found in _SHAPE.findall(text)}]

    def forget(self, needles: Iterable[Needle]) -> None:
        """From now on nobody may be shown these."""
        for needle in needles:
            needle.gone = True

    def private_of(
        self, owner: str, kinds: Iterable[str] = ("said", "title", "note"), session: str = ""
    ) -> list[Needle]:
        """The owner's words outside groups; of one conversation, where one is named."""
        wanted = frozenset(kinds)
        return [
            needle
            for needle in self.by_word.values()
            if needle.owner == owner and not needle.group and needle.kind in wanted and session in {"", needle.session}
        ]

    def of(self, owner: str) -> list[Needle]:
        """Everything the owner ever said or was told apart by; not the names they gave to groups."""
        return [needle for needle in self.by_word.values() if needle.owner == owner and needle.kind != "name"]
