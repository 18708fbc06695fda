"""Derive from the parse tree of a pattern the strings on which a backtracking engine would run away.

Each repeat of a pattern is pumped: what leads to it, its body over and over, then an end at which the rest fails.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any, Final

from tests.patterns.ambiguity import find_ambiguous

_parser = re._parser
_compiler = re._compiler  # type: ignore[attr-defined]
_code = re._constants

_REPEATS: Final = frozenset({_code.MAX_REPEAT, _code.MIN_REPEAT, _code.POSSESSIVE_REPEAT})
_ONE_CHARACTER: Final = frozenset({_code.IN, _code.NOT_LITERAL, _code.ANY})
_COMMON: Final = " aA0\n\t.,!?'\"-_/:;()[]{}<>=*#@$%&+~|\\`…、，。！？嗯我的一好\u200b\u3000é"
"""Characters to be tried beyond those that a pattern names."""
_LONG: Final = 8
"""A repeat that may happen this often is pumped."""
_EXPANDED: Final = 1_000
_FAILING_ENDS: Final = ("\0", "!", "x", "")
_BODIES: Final = 6
_PREFIXES: Final = 3
MAX_PUMPS: Final = 800
"""Pumps of one pattern: of more, which only patterns made of whole lexicons have, so many are drawn by lot."""


@dataclass(frozen=True, slots=True)
class Pump:
    """A string of any length: ``prefix``, then ``bodies`` in equal shares, each repeated, then ``end``."""

    prefix: str
    bodies: tuple[str, ...]
    end: str

    def inflate(self, size: int) -> str:
        """About ``size`` characters."""
        share = max(0, size - len(self.prefix) - len(self.end)) // len(self.bodies)
        return self.prefix + "".join(body * max(1, share // len(body)) for body in self.bodies) + self.end


@dataclass(frozen=True, slots=True)
class _Repeat:
    """A repeat of a pattern: ways to come to it, strings of its body, and what may follow."""

    prefixes: tuple[str, ...]
    bodies: tuple[str, ...]
    ends: tuple[str, ...]


def derive_pumps(source: str, flags: int, most: int = MAX_PUMPS) -> list[Pump]:
    """The pumps of a pattern, each once, in a fixed order."""
    derivation = _Derivation(source, flags)
    pumps = list(dict.fromkeys(derivation.pumps()))
    most = max(60, most * 1500 // max(1500, len(source)))
    return pumps if len(pumps) <= most else derivation.random.sample(pumps, most)


class _Derivation:
    def __init__(self, source: str, flags: int) -> None:
        self.tree = _parser.parse(source, flags & ~re.DEBUG)
        self.random = random.Random(source.encode(errors="surrogatepass"))
        self.flags = self.tree.state.flags
        self.sets = list(_character_sets(self.tree))
        named = [chr(code) for code in dict.fromkeys(_literals(self.tree))]
        self.alphabet = tuple(dict.fromkeys([*named[:200], *_COMMON]))
        self.members = cache(self._members)

    def pumps(self) -> Iterator[Pump]:
        for repeat in self.repeats(self.tree, ("",), ()):
            yield from _pumps_of(repeat)
        yield from self.plain_pumps()

    def plain_pumps(self) -> Iterator[Pump]:
        """Of the whole pattern and of single characters, as far as it knows them."""
        whole = [sample for _ in range(_PREFIXES) if (sample := self.sample(self.tree))]
        for sample in whole:
            for end in ("", "\0", sample[:-1]):
                yield Pump("", (sample,), end)
                yield Pump("", (f"{sample} ",), end)
                yield Pump("", (sample[:-1] or sample,), end)
        characters = self.characters()
        for one in characters:
            for end in _FAILING_ENDS:
                yield Pump("", (one,), end)
        for one, other in combinations(characters[:6], 2):
            yield Pump("", (one, other), "\0")
            yield Pump("", (other, one), "\0")
            yield Pump("", (one + other,), "\0")

    def characters(self) -> list[str]:
        """Of each set of the pattern some members, those first that stand in most of its sets."""
        chosen: dict[str, int] = {}
        for kind, argument in self.sets:
            for one in self.members(kind, _frozen(argument))[:3]:
                chosen[one] = chosen.get(one, 0) + 1
        return sorted(chosen, key=lambda one: -chosen[one])[:16]

    def repeats(self, nodes: Sequence[Any], prefixes: tuple[str, ...], rest: tuple[Any, ...]) -> Iterator[_Repeat]:
        """Every repeat among ``nodes`` and within them, with ways to come to it; ``rest`` is what follows them."""
        for at, (kind, argument) in enumerate(nodes):
            after = (nodes[at + 1 :], *rest)
            if kind in _REPEATS:
                yield from self._repeat(argument, prefixes, after)
            for inner in _inner(kind, argument):
                yield from self.repeats(inner, prefixes, after)
            prefixes = self._continued(prefixes, nodes[at : at + 1])

    def _repeat(self, argument: Any, prefixes: tuple[str, ...], after: tuple[Any, ...]) -> Iterator[_Repeat]:
        _, most, body = argument
        if most >= _LONG:
            bodies = {sample for _ in range(_BODIES * 3) if (sample := self.sample(body))}
            if len(body) == 1 and body[0][0] in _ONE_CHARACTER:
                bodies = set(self.members(body[0][0], _frozen(body[0][1]))[:_BODIES])
            chosen = sorted(bodies, key=lambda one: (len(one), one))[:_BODIES]
            follow = "".join(self.sample(nodes) for nodes in after)
            ends = dict.fromkeys([*_FAILING_ENDS, f"{follow[:-1]}\0"])
            ambiguous = find_ambiguous([text for text in self.expand(body) if text])
            yield _Repeat(prefixes, tuple(dict.fromkeys([*chosen, *ambiguous])), tuple(ends))

    def expand(self, nodes: Sequence[Any]) -> list[str]:
        """The strings that ``nodes`` match, one for each way of reading them: all alternatives, some of the rest."""
        texts = [""]
        for kind, argument in nodes:
            texts = [text + more for text in texts for more in self._expand(kind, argument)][:_EXPANDED]
        return texts

    def _expand(self, kind: Any, argument: Any) -> list[str]:
        if kind in _ONE_CHARACTER:
            return list(self.members(kind, _frozen(argument))[:3])
        if kind is _code.BRANCH:
            return [text for branch in argument[1] for text in self.expand(branch)]
        if kind is _code.SUBPATTERN:
            return self.expand(argument[3])
        if kind is _code.ATOMIC_GROUP:
            return list(dict.fromkeys(self.expand(argument)))
        if kind in _REPEATS:
            least, most, body = argument
            once = self.expand(body)
            counts = range(least, min(most, max(least + 1, 2)) + 1)
            return [text * count for count in counts for text in (once if count else [""])]
        return [self._sample(kind, argument)]

    def _continued(self, prefixes: tuple[str, ...], nodes: Sequence[Any]) -> tuple[str, ...]:
        ways = [self.sample(nodes) for _ in range(_PREFIXES)]
        longer = [prefix + way for prefix, way in zip(prefixes * _PREFIXES, ways, strict=False)]
        return tuple(dict.fromkeys(longer))[:_PREFIXES]

    def sample(self, nodes: Sequence[Any]) -> str:
        """A string that ``nodes`` match, as far as what they look ahead to and back at is left aside."""
        self.groups: dict[int, str] = getattr(self, "groups", {})
        return "".join(self._sample(kind, argument) for kind, argument in nodes)

    def _sample(self, kind: Any, argument: Any) -> str:
        if kind is _code.LITERAL:
            return chr(argument)
        if kind in _ONE_CHARACTER:
            members = self.members(kind, _frozen(argument))
            favourites = members if self.random.random() < 0.4 else members[:2]
            return self.random.choice(favourites) if favourites else ""
        if kind is _code.BRANCH:
            return self.sample(self.random.choice(argument[1]))
        if kind is _code.SUBPATTERN:
            sample = self.sample(argument[3])
            self.groups[argument[0] or 0] = sample
            return sample
        if kind is _code.ATOMIC_GROUP:
            return self.sample(argument)
        if kind in _REPEATS:
            least, most, body = argument
            often = self.random.randint(least, min(most, least + 1))
            return "".join(self.sample(body) for _ in range(often))
        if kind is _code.ASSERT and argument[0] < 0:
            return self.sample(argument[1])
        if kind is _code.GROUPREF:
            return self.groups.get(argument, "")
        if kind is _code.GROUPREF_EXISTS:
            return self.sample(argument[1])
        return ""

    def _members(self, kind: Any, argument: Any) -> tuple[str, ...]:
        """The characters of the alphabet that a set holds, those first that stand in most sets of the pattern."""
        node = _parser.SubPattern(self.tree.state, [(kind, list(argument) if kind is _code.IN else argument)])
        fits = _compiler.compile(node, self.flags & ~re.VERBOSE).fullmatch
        own = [one for one in self.alphabet if fits(one)]
        return tuple(sorted(own, key=lambda one: -self.popularity(one)))

    @property
    def popularity(self) -> Any:
        if not hasattr(self, "_popularity"):
            fits = [
                _compiler.compile(_parser.SubPattern(self.tree.state, [node]), self.flags & ~re.VERBOSE).fullmatch
                for node in self.sets[:40]
            ]
            self._popularity = {one: sum(fit(one) is not None for fit in fits) for one in self.alphabet}
        return self._popularity.__getitem__


def _pumps_of(repeat: _Repeat) -> Iterator[Pump]:
    for prefix in repeat.prefixes:
        for body in repeat.bodies:
            for end in repeat.ends:
                yield Pump(prefix, (body,), end)
            if prefix:
                yield Pump("", (prefix + body,), "\0")
                yield Pump("", (prefix,), body)
        for one, other in combinations(repeat.bodies[:4], 2):
            yield Pump(prefix, (one, other), "\0")
            yield Pump(prefix, (one + other,), "\0")


def _inner(kind: Any, argument: Any) -> Iterator[Sequence[Any]]:
    if kind in _REPEATS:
        yield argument[2]
    elif kind is _code.BRANCH:
        yield from argument[1]
    elif kind is _code.SUBPATTERN:
        yield argument[3]
    elif kind is _code.ATOMIC_GROUP:
        yield argument
    elif kind in (_code.ASSERT, _code.ASSERT_NOT):
        yield argument[1]
    elif kind is _code.GROUPREF_EXISTS:
        yield from (branch for branch in argument[1:] if branch is not None)


def _nodes(nodes: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    for kind, argument in nodes:
        yield kind, argument
        for inner in _inner(kind, argument):
            yield from _nodes(inner)


def _character_sets(tree: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    return (node for node in _nodes(tree) if node[0] in _ONE_CHARACTER)


def _literals(tree: Sequence[Any]) -> Iterator[int]:
    """The characters a pattern names, alone or in a set."""
    for kind, argument in _nodes(tree):
        if kind is _code.LITERAL:
            yield argument
        elif kind is _code.IN:
            for inner, value in argument:
                if inner is _code.LITERAL:
                    yield value
                elif inner is _code.RANGE:
                    yield value[0]


def _frozen(argument: Any) -> Any:
    return tuple(argument) if isinstance(argument, list) else argument
