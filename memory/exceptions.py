"""What memory refuses, each with the code that the API answers."""

from __future__ import annotations

from uuid import UUID

from foundation.exceptions import FinClawError

"""A reply is most often there by then."""


class SessionArchived(FinClawError):
    code = "session_archived"
    default_message = "This conversation is archived. Start a new one to go on."


class ReplyPending(FinClawError):
    code = "reply_pending"
    default_message = "A reply is still on its way. Wait for it, or end with force."
    retry_after = 2  # by then the conversation of a process that died is free


class AnswerStands(FinClawError):
    code = "answer_stands"
    default_message = "Only an answer that came without the language model can be tried again."


class KindWithheld(FinClawError):
    """A program writes a kind of memory that its user keeps from it."""

    code = "kind_withheld"
    default_message = "This kind of memory is kept from this program."


class FinancialConfirmationRequired(FinClawError):
    code = "financial_confirmation_required"
    default_message = "Positions, horizons and constraints are kept only when you confirm it in the request."


class MemoryUnavailable(FinClawError):
    """Retrieval failed or ran over its time; the turn goes on without memories."""

    code = "memory_unavailable"
    default_message = "Memory could not be read in time."


class ProposalClosed(FinClawError):
    """The proposal is decided already, or its memory has changed since."""

    code = "proposal_closed"
    default_message = "This proposal is closed: it was decided, or its memory has changed since."


class KeptInThread(FinClawError):
    """The object is part of a thread's history; ``details["thread_id"]`` names the thread."""

    code = "kept_in_thread"
    default_message = "This is part of a thread. Forget the thread to forget this too."

    def __init__(self, thread_id: UUID) -> None:
        super().__init__(details={"thread_id": str(thread_id)})


class ThreadClosed(FinClawError):
    code = "thread_closed"
    default_message = "This thread is closed and can only be read."


class ThreadMovedOn(FinClawError):
    """The thread was refreshed since the result was made, so the result has to be made again."""

    code = "thread_moved_on"
    default_message = "This thread has been refreshed since. Look at its latest state and try again."
