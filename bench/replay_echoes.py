"""What is remembered, put before the model and repeated by its person: nothing of it may be learned once more.

Of the complaints of other products' users this is the loudest: 97.8 % of 10,134 memories were recalled memories
learned again (mem0#4573).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import cycle
from uuid import UUID

from django.utils import timezone

from bench.learning_audit import AuditedPerson, learn_all
from consent.services import permit_for
from finclaw.brain.turn import reply
from finclaw.brain.types import TurnRequest, TurnResult
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.language import cjk_share
from memory.learning.services import observe
from memory.models import MemoryItem
from memory.services.sessions import record_messages, start_session
from memory.types import NewMessage

_OWN_ECHOES: tuple[Callable[[TurnResult], str], ...] = (
    lambda turn: turn.reply,
    lambda turn: "\n".join(_carried(turn)),
    lambda turn: "\n".join(f'<user_memory confidence="0.9">{text}</user_memory>' for text in _carried(turn)),
    lambda turn: "\n".join(f'You said: "{text}"' for text in _carried(turn)),
    lambda turn: "\n".join(f"你说：“{text}”" for text in _carried(turn)),
)
_FOREIGN_ECHOES: tuple[Callable[[str], str], ...] = (
    lambda text: text,
    lambda text: f'You said: "{text}"',
    lambda text: f"你刚才说：“{text}”",
    lambda text: f"<knowledge>{text}</knowledge>",
)


def repeat(people: Sequence[AuditedPerson]) -> dict[str, float]:
    """How many echoes were said, and how many versions of items were written because of them."""
    began = timezone.now()
    said = sum(map(_repeats_own, people))
    others = [*people[1:], *people[:1]]
    said += sum(_repeats_other(person, other) for person, other in zip(people, others, strict=True))
    learn_all()
    learned = 0
    for person in people:
        with acting_as(person.user.pk):
            learned += MemoryItem.objects.filter(user=person.user, created_at__gte=began).count()
    return {"echoes": said, "learned from injected": learned}


def _repeats_own(person: AuditedPerson) -> int:
    """A turn about each memory, whose prompt carries it, and its person's next message in the prompt's own words."""
    echoes = cycle(_OWN_ECHOES)
    said = 0
    for item in person.in_force:
        with acting_as(person.user.pk):
            session = start_session(permit_for(person.user), person.user)
        turn = _turn(person.user, session.pk, _question(str(item.attributes["value"])))
        if turn.memories_used:
            _turn(person.user, session.pk, next(echoes)(turn))
            said += 1
    return said


def _repeats_other(person: AuditedPerson, other: AuditedPerson) -> int:
    """The assistant says what somebody else said of themselves, and the person repeats it: none of it is theirs."""
    echoes = cycle(_FOREIGN_ECHOES)
    for text in (texts := list(_sentences(other))):
        with acting_as(person.user.pk):
            permit = permit_for(person.user)
            session = start_session(permit, person.user)
            answer = NewMessage.of_text("assistant", text, "Assistant")
            echo = NewMessage.of_text("user", next(echoes)(text), person.user.name)
            observe(permit, record_messages(permit, session, [answer, echo]), wake=False)
    return len(texts)


def _turn(user: User, session_id: UUID, text: str) -> TurnResult:
    return reply(user, TurnRequest(session_id, ({"type": "text", "text": text},)))


def _question(about: str) -> str:
    return f"关于{about}，你记得什么？" if cjk_share(about) else f"What do you remember about {about}?"


def _carried(turn: TurnResult) -> list[str]:
    return [memory.text for memory in turn.memories_used]


def _sentences(person: AuditedPerson) -> Iterator[str]:
    """The messages something was learned from, each once."""
    yield from dict.fromkeys(filter(None, map(person.message_of, person.in_force)))
