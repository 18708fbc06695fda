"""Questions about oneself, asked of people whose statements are known: is what is listed what should be?

    python -m bench.self_questions FILE

``FILE`` is JSON: ``people`` (``name`` and ``statements``, each ``text``, ``topic`` and ``state``, "in force" or
"superseded") and ``questions`` (``text``, ``language`` and ``topic``, null for everything). Every question is asked of
every person. A list is

- *complete* where it holds every statement in force of the topic, or of the person where no topic is asked for;
- *right* where it is complete and holds at most one statement of another topic in five, one at least being allowed;
- *exact* where it holds nothing else.

A question that is taken for something else has no list, and is wrong. What a list leaves to its link "and 14 more"
counts as listed. Nothing superseded and nothing of anybody else may stand in an answer: those are counted.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bench.report import publish
from bench.runner import measured_database
from foundation.language import ParsedMessage

if TYPE_CHECKING:
    from foundation.accounts.models import User
    from memory.models import Session

IN_FORCE: Final = "in force"
_OTHERS_ALLOWED: Final = 5


@dataclass
class AskedPerson:
    """Somebody of the file with their account: texts of what is in force by topic, and of what is not."""

    user: User
    session: Session
    in_force: dict[str, list[str]]
    superseded: list[str]

    def expected(self, topic: str | None) -> frozenset[str]:
        """What a list of this topic should hold."""
        if topic is None:
            return frozenset(text for texts in self.in_force.values() for text in texts)
        return frozenset(self.in_force.get(topic, ()))


@dataclass
class Tally:
    """Of so many questions, how many lists were right, and what should never have been shown."""

    asked: int = 0
    right: int = 0
    exact: int = 0
    complete: int = 0
    unrecognised: int = 0
    superseded: int = 0
    of_others: int = 0
    examples: list[str] = field(default_factory=list)

    def figures(self) -> dict[str, float]:
        """Shares of the questions, and two counts."""
        number = self.asked or 1
        shares = {name: getattr(self, name) / number for name in ("right", "exact", "complete", "unrecognised")}
        return {"asked": self.asked, **shares, "superseded": self.superseded, "of others": self.of_others}


def measure(document: dict[str, Any]) -> tuple[dict[str, Tally], list[dict[str, Any]]]:
    """A tally a language and kind of question; and every list that was wrong."""
    people = [_person(described) for described in document["people"]]
    tallies: dict[str, Tally] = defaultdict(Tally)
    wrong: list[dict[str, Any]] = []
    for question in document["questions"]:
        kind = "topic" if question["topic"] else "everything"
        for person in people:
            found = _asked(person, people, question)
            for name in (question["language"], f"{question['language']}, {kind}"):
                _count(tallies[name], found)
            if not found["right"]:
                wrong.append(found)
    return dict(tallies), wrong


def _asked(person: AskedPerson, people: Sequence[AskedPerson], question: dict[str, Any]) -> dict[str, Any]:
    listed, text = _answer(person, question["text"])
    expected = person.expected(question["topic"])
    others = {words for other in people if other is not person for words in (*other.expected(None), *other.superseded)}
    own = person.expected(None)
    complete = listed is not None and expected <= listed
    extra = len((listed or frozenset()) - expected)
    return {
        "question": question["text"],
        "person": person.user.display_name,
        "unrecognised": listed is None,
        "complete": complete,
        "right": complete and extra <= max(1, len(expected) // _OTHERS_ALLOWED),
        "exact": complete and extra == 0,
        "superseded": sum(words in text for words in person.superseded),
        "of_others": sum(words in text for words in others - own),
        "missing": sorted(expected - (listed or frozenset())),
        "extra": sorted((listed or frozenset()) - expected),
    }


def _answer(person: AskedPerson, text: str) -> tuple[frozenset[str] | None, str]:
    from consent.services import permit_for
    from finclaw.brain.self_questions import followup_recognition, recognition
    from finclaw.brain.self_questions.self_answers import answer_about_oneself
    from foundation.database.acting_user import acting_as
    from foundation.language import language_of

    message = ParsedMessage(text)
    asked = None if followup_recognition.read_followup(message) else recognition.read_self_question(message)
    if asked is None:
        return None, ""
    with acting_as(person.user.pk):
        answer = answer_about_oneself(permit_for(person.user), person.session, asked, language_of(text))
    if answer is None:
        return None, ""
    return frozenset(entry.text for entry in answer.listing.entries), answer.text


def _count(tally: Tally, found: dict[str, Any]) -> None:
    tally.asked += 1
    for name in ("right", "exact", "complete", "unrecognised", "superseded", "of_others"):
        setattr(tally, name, getattr(tally, name) + int(found[name]))


def _person(described: dict[str, Any]) -> AskedPerson:
    from django.utils import timezone

    from consent.services import grant_consent, permit_for
    from foundation.accounts.models import User
    from foundation.database.acting_user import acting_as
    from foundation.ids import new_id
    from foundation.personal_data import ConsentScope
    from memory.services import item_decisions, items, sessions

    user = User.objects.create_user(username=new_id().hex[:20], display_name=described["name"])
    in_force, superseded = defaultdict[str, list[str]](list), []
    with acting_as(user.pk):
        grant_consent(user, tuple(ConsentScope), source="api")
        permit = permit_for(user)
        for statement in described["statements"]:
            item = item_decisions.add_stated(permit, statement["text"])
            if statement["state"] == IN_FORCE:
                in_force[statement["topic"]].append(item.content)
            else:
                items.retire(permit, item, at=timezone.now())
                superseded.append(item.content)
        session = sessions.start_session(permit, user)
    return AskedPerson(user, session, dict(in_force), superseded)


def written_people(path: Path) -> list[dict[str, Any]]:
    """People of a text file: ``# name``, then ``topic|text`` a line, ``superseded:topic|text`` for what is no more."""
    people: list[dict[str, Any]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            people.append({"name": line[2:], "statements": []})
        else:
            topic, text = line.split("|", 1)
            state = "superseded" if topic.startswith("superseded:") else IN_FORCE
            people[-1]["statements"].append({"text": text, "topic": topic.split(":")[-1], "state": state})
    return people


def _development(every: int) -> dict[str, Any]:
    """Our own people, and every so many of our own wordings that are such questions."""
    from bench.self_wordings.build import HERE, wordings

    lines = [
        (language, wording) for language in ("en", "zh") for wording in wordings(language) if wording["label"] != "none"
    ]
    questions = [
        {
            "text": wording["text"],
            "language": language,
            "topic": None if wording["label"] == "all" else wording["label"],
        }
        for language, wording in lines[::every]
    ]
    return {"people": written_people(HERE / "people.txt"), "questions": questions}


def main(arguments: Iterable[str] | None = None) -> int:
    """Print the table; answer 1 where anything superseded, or of somebody else, stood in an answer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", help="without one, our own wordings and people")
    parser.add_argument("--every", type=int, default=10, help="of our own wordings, one in so many")
    parser.add_argument("--wrong", type=Path, help="write every wrong list here")
    chosen = parser.parse_args(list(arguments) if arguments is not None else None)
    document = json.loads(chosen.file.read_text(encoding="utf-8")) if chosen.file else _development(chosen.every)
    with measured_database(durable=False):
        tallies, wrong = measure(document)
    publish(
        "self_questions", "Questions about oneself", {name: tally.figures() for name, tally in sorted(tallies.items())}
    )
    if chosen.wrong:
        chosen.wrong.write_text(
            "\n".join(json.dumps(wrong_list, ensure_ascii=False) for wrong_list in wrong), encoding="utf-8"
        )
    return int(any(tally.superseded or tally.of_others for tally in tallies.values()))


if __name__ == "__main__":
    sys.exit(main())
