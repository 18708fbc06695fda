"""The data card's table: ``python -m bench.everyday``."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from operator import attrgetter

from bench.everyday.labels import TEACHING, LabelledMessage, Part, read_voices
from bench.runner import set_up_django


def rows(part: Part, known: dict[str, set[str]]) -> list[str]:
    """A Markdown row a voice. ``known`` maps each open voice to its words: the overlap is with the others of them."""
    return [
        _row(voice, list(messages), set().union(*(words for name, words in known.items() if name != voice)))
        for voice, messages in groupby(read_voices(part), key=attrgetter("voice"))
    ]


def vocabularies() -> dict[str, set[str]]:
    """The index tokens of each open voice."""
    return {voice: _words(list(messages)) for voice, messages in groupby(read_voices("open"), key=attrgetter("voice"))}


def _words(messages: list[LabelledMessage]) -> set[str]:
    from foundation.text import tokenize

    return {token for message in messages for token in tokenize(message.text)}


def _row(voice: str, messages: list[LabelledMessage], others: set[str]) -> str:
    sentences = [sentence for message in messages for sentence in message.sentences]
    teaching = [sentence for sentence in sentences if sentence.teaches]
    kinds = Counter(sentence.kind for sentence in teaching)
    words = _words(messages)
    cells = (
        voice, len(messages), f"{sum(message.teaches for message in messages) / len(messages):.2f}", len(sentences),
        len(teaching), *(kinds[kind] for kind in TEACHING.values()),
        sum(sentence.changes for sentence in teaching), len(words), f"{len(words & others) / len(words):.2f}",
    )  # fmt: skip
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    """Print the rows of both parts."""
    set_up_django()
    known = vocabularies()
    for part in ("open", "closed"):
        print(*rows(part, known), sep="\n")


if __name__ == "__main__":
    main()
