"""The user's part of a thesis or note: what these two personal parts may know of the user, and their common prompt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, Self

from finclaw.brain.context_slices import CHAT, SliceName
from finclaw.brain.material.brief import ResearchBrief
from finclaw.brain.prompt.layers import SAFETY_POLICY, context_element
from finclaw.brain.research.part_answers import PartAnswer
from finclaw.brain.research.parts import ANSWER_IN, PartName, list_element, material_prompt, material_text
from finclaw.brain.research.types import LoadedSlices
from finclaw.brain.understanding.aliases import AliasGroup
from foundation.llm import Message, Prompt
from foundation.sanitization.prompt_text import join_texts, trusted_text
from foundation.sanitization.services import sanitized_texts
from foundation.sanitization.types import SafeText
from memory.models import Thread
from memory.research.types import ResearchStatement, StatementSource

SENTENCES: Final = MappingProxyType({"quick": 1, "standard": 3, "deep": 6})
"""How many sentences a personal part has, by research depth."""


@dataclass(frozen=True)
class PersonalView:
    """What a personal part may know of the user: the slices, the other ``threads`` they name, earlier statements, and
    the organisation's names.
    """

    slices: LoadedSlices
    threads: tuple[Thread, ...] = ()
    user_statements: tuple[ResearchStatement, ...] = ()
    names: tuple[AliasGroup, ...] = ()

    @property
    def sources(self) -> tuple[StatementSource, ...]:
        """Where all of that comes from, so that text made with it is erased with it."""
        stated = any(not {"thread", "profile"}.isdisjoint(loaded.scopes) for loaded in self.slices.slices)
        return (
            *(source for statement in self.user_statements for source in statement.sources),
            *([StatementSource("context")] if stated else []),
            *(StatementSource("thread", str(thread.pk)) for thread in self.threads),
        )

    def without_slices(self, names: Iterable[SliceName]) -> Self:
        """The same view without the slices named."""
        return replace(self, slices=self.slices.without(names))

    @property
    def is_known(self) -> bool:
        """Whether anything is known of the user besides reply preferences."""
        return bool(self.user_statements) or not set(self.slices.loaded_names) <= set(CHAT)


def personal_prompt(
    instruction: str, brief: ResearchBrief, found: Mapping[PartName, PartAnswer], asker: PersonalView, *more: SafeText
) -> Prompt:
    """The prompt of a personal part: safety first, what is remembered and the slices last before the message.

    ``instruction`` is filled in with ``sentences``; ``more`` stands after the findings.
    """
    told = list_element("user_memory", sanitized_texts(statement.text for statement in asker.user_statements))
    findings = (
        list_element(name, sanitized_texts(statement.text for statement in answer.statements))
        for name, answer in found.items()
    )
    message = join_texts("\n", filter(None, (material_prompt(brief), *findings, *more)))
    length = trusted_text(instruction.format(sentences=SENTENCES[asker.slices.depth]))
    system = join_texts("\n\n", (SAFETY_POLICY, length, ANSWER_IN[brief.language]))
    context = join_texts("\n\n", filter(None, (told, context_element(asker.slices.values))))
    return Prompt(system, (Message("user", message),), context=context)


def figure_grounds(brief: ResearchBrief, found: Mapping[PartName, PartAnswer], asker: PersonalView, *more: str) -> str:
    """The texts in which a figure of a personal part must stand: material, findings, earlier statements and ``more``;
    not the prompt's instructions, which hold figures of their own.
    """
    findings = (statement.text for answer in found.values() for statement in answer.statements)
    return "\n".join((material_text(brief), *findings, *(statement.text for statement in asker.user_statements), *more))
