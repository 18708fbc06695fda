"""Answers a question about oneself by rule, from the statements in force, with or without a model."""

from __future__ import annotations

from dataclasses import dataclass, field
from uuid import UUID

from consent.permit import Permit
from finclaw.brain.self_questions.listing import StatementListing, assembly_of, list_statements
from finclaw.brain.self_questions.types import SelfQuestion
from finclaw.brain.self_questions.wording import compose_answer
from finclaw.brain.types import Assembly
from foundation.language import Language
from memory.models import Session


@dataclass(frozen=True)
class SelfAnswer:
    """The text, the quoted statements as the receipt stores them, everything that was listed, and for a correction the
    memory's id with its new content.
    """

    text: str
    assembly: Assembly
    listing: StatementListing = field(default_factory=StatementListing)
    correction: tuple[UUID, str] | None = None


def answer_about_oneself(
    permit: Permit, session: Session, question: SelfQuestion, language: Language
) -> SelfAnswer | None:
    """The answer to a question about oneself. Call acting for the user.

    None where it may be no such question and there is nothing to list: it names a thing that no statement mentions ("my
    drumming"), or has no word of remembering.
    """
    listing = list_statements(permit, session, question)
    if (question.named or question.is_direct) and listing.is_empty:
        return None
    text, shown = compose_answer(listing, language, in_group=session.group_id is not None, may_learn=session.remember)
    return SelfAnswer(text, assembly_of(shown.entries, of_everything=listing.is_of_everything), listing)
