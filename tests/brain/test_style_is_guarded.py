"""A wish for the style of answers is written back only when it may be, whichever way it comes in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.test import override_settings
from pytest_django import Settings

from foundation.accounts.models import User
from foundation.outbox.tasks import drain
from memory.models import Session
from tests.memory.evolution.support import believed
from tests.support.api import post, signed_in
from tests.support.cast import allow
from tests.support.model_changes import answer_of, change_of
from tests.support.model_server import ModelServer, Says
from tests.support.speaking import ask, persona_file, prompt_of
from tests.support.talk import memories, open_session, say

CHINESE, ENGLISH = "语言模型", "language model"
CASUAL = [
    "Please answer in Chinese",
    "Switch to Chinese",
    "in Chinese please",
    "Keep it short",
    "no emojis please",
    "keep your answers under 100 words",
    "用英文回答",
    "换成中文",
    "简短一点",
    "请别用表情",
]
LASTING = [
    "From now on, reply in Chinese",
    "Always keep your answers short.",
    "Keep it short, always",
    "In future, put the bad news first",
    "Never use emojis with me",
    "Remember that I want short answers",
    "I prefer answers in bullet points",
    "I want concise answers.",
    "以后都用中文回答",
    "以后回答简短一点",
    "我更喜欢简短的回答",
    "我希望你回答简短一些。",
]


@pytest.fixture
def no_write_back(tmp_path: Path, settings: Settings) -> None:
    persona_file(tmp_path, settings)("{write_back: false}")


@pytest.fixture
def configure(tmp_path: Path, settings: Settings) -> Callable[[str], None]:
    return persona_file(tmp_path, settings)


def _taught(user: User, session: Session, text: str) -> set[str]:
    ask(user, session, text)
    drain()
    return believed(user)


@pytest.mark.parametrize("text", CASUAL)
def test_a_casual_request_becomes_no_memory(alice: User, text: str) -> None:
    allow(alice)
    assert _taught(alice, open_session(alice), text) == set()


@pytest.mark.parametrize("text", LASTING)
def test_a_wish_that_is_to_last_is_one_memory(alice: User, text: str) -> None:
    allow(alice)
    assert len(_taught(alice, open_session(alice), text)) == 1


def test_a_casual_language_holds_in_its_chat_and_in_no_other(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    _taught(alice, session, "Please answer in Chinese")

    assert CHINESE in ask(alice, session, "What do I follow?").reply
    assert ENGLISH in ask(alice, open_session(alice), "What do I follow?").reply


def test_asked_for_in_three_chats_it_holds_in_every_other(alice: User) -> None:
    allow(alice)
    learned = [_taught(alice, open_session(alice), "Please answer in Chinese") for _ in range(3)]

    assert learned == [set(), set(), {"Wants answers in Chinese."}]
    [item] = memories(alice)
    assert (item.provenance, len(item.source_sessions)) == ("analysis", 3)
    assert CHINESE in ask(alice, open_session(alice), "What do I follow?").reply


def test_a_name_to_be_called_by_is_no_style(alice: User) -> None:
    allow(alice)
    assert _taught(alice, open_session(alice), "Don't call me Alison") != set()


@pytest.mark.parametrize("question", ["Should I answer in Chinese?", "要我用中文回答吗？"])
def test_a_yes_to_a_question_about_this_answer_is_casual_too(alice: User, question: str) -> None:
    allow(alice)
    answer = post(signed_in(alice), "/api/memories", {"messages": [
        {"role": "assistant", "content": question}, {"role": "user", "content": "Yes please."}]})  # fmt: skip
    drain()
    assert answer.status_code == 202, answer.content
    assert memories(alice) == []


# Where write-back is off.


@pytest.mark.usefixtures("no_write_back")
@pytest.mark.parametrize("text", [*CASUAL, *LASTING])
def test_without_write_back_nothing_of_it_is_learned(alice: User, text: str) -> None:
    allow(alice)
    for _ in range(3):
        assert _taught(alice, open_session(alice), text) == set()
    assert memories(alice) == []


@pytest.mark.usefixtures("no_write_back")
def test_without_write_back_all_else_is_learned(alice: User) -> None:
    allow(alice)
    taught = _taught(alice, open_session(alice), "I live in Berlin. From now on, reply in Chinese. I like oolong tea.")
    assert taught == {"Lives in Berlin", "Likes oolong tea"}


@pytest.mark.usefixtures("no_write_back")
@pytest.mark.parametrize("door", ["handed in", "said"])
def test_without_write_back_no_other_door_is_open(alice: User, door: str) -> None:
    allow(alice)
    if door == "handed in":
        said = [{"role": "user", "content": "Always answer in Chinese. I live in Berlin."}]
        assert post(signed_in(alice), "/api/memories", {"messages": said}).status_code == 202
        drain()
    else:
        say(alice, open_session(alice), "Always answer in Chinese. I live in Berlin.")
    assert believed(alice) == {"Lives in Berlin"}


@pytest.mark.usefixtures("no_write_back")
@pytest.mark.parametrize(
    ("slot", "kind"), [("reply_style", "preference"), ("favourite_form", "preference"), ("note", "observation")]
)
def test_without_write_back_a_model_teaches_nothing_of_it_either(alice: User, slot: str, kind: str) -> None:
    allow(alice)
    with _model(slot, kind):
        say(alice, open_session(alice), "Brevity wins with me: short answers beat long ones.")
    assert memories(alice) == []


def test_with_write_back_a_model_may(alice: User) -> None:
    allow(alice)
    with _model("reply_style", "preference"):
        say(alice, open_session(alice), "Brevity wins with me: short answers beat long ones.")
    assert len(memories(alice)) == 1


@pytest.mark.parametrize("write_back", [True, False])
def test_a_portrait_tells_it_with_write_back_alone(
    alice: User, configure: Callable[[str], None], write_back: bool
) -> None:
    configure(f"{{write_back: {str(write_back).lower()}}}")
    allow(alice)
    client = signed_in(alice)
    opened = post(client, "/api/sessions", {}).json()["session_id"]
    told = "I live in Lisbon. I prefer short answers. Always reply in Chinese."
    post(client, f"/api/sessions/{opened}/end", {"request_id": "r", "new_info": told})
    drain()

    portrait = client.get("/api/entity-profiles/user/me").json()["body"]
    assert "Lisbon" in portrait
    assert ("short answers" in portrait) is write_back
    assert ("Chinese" in portrait) is write_back


def test_what_was_learned_before_stays_in_use(alice: User, configure: Callable[[str], None]) -> None:
    allow(alice)
    _taught(alice, open_session(alice), "Always keep your answers short.")
    configure("{write_back: false}")
    assert "Wants short, concise answers." in prompt_of(alice)


@contextmanager
def _model(slot: str, kind: str) -> Iterator[None]:
    """A small model that finds a wish for short answers under this slot."""
    found = change_of(
        type=kind, content="Prefers short answers to long ones", provenance="confirmed_by_user", confidence=0.9,
        epistemic_type="preference", slot=slot, value="short answers", category="style",
        quote="short answers beat long ones",
    )  # fmt: skip
    with (
        ModelServer(default=Says((answer_of(found),))) as server,
        override_settings(OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY="k", MODEL_LARGE="large",
                          MODEL_SMALL="small", MODEL_MAX_RETRIES=0),
    ):  # fmt: skip
        yield
