"""What a result means for its person where no thesis is stated: their own words beside the findings, or a model's note
made of those; nothing where nothing is known of them (M-4, C-8).
"""

from __future__ import annotations

from typing import Any

import pytest

from consent.services import permit_for
from finclaw.brain.context_slices import SliceName
from finclaw.brain.material.brief import ResearchBrief
from finclaw.brain.research import task_execution
from finclaw.brain.research.note import compose_note
from finclaw.brain.research.part_answers import PartAnswer
from finclaw.brain.research.parts import PartName
from finclaw.brain.research.personal_view import PersonalView
from finclaw.brain.research.types import LoadedSlices, SliceText
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.ids import new_id
from foundation.language import Language
from foundation.llm import MalformedReply, Prompt, configured_model
from foundation.sanitization.types import SafeText
from memory.models import Thread
from memory.research.contexts import note_of
from memory.research.types import ResearchStatement, StatementSource
from tests.brain.research.support import RecordingModel, answered, run
from tests.brain.research.told import follow
from tests.support.cast import allow
from tests.support.degradations import with_degraded

LIMITS: dict[Language, dict[str, str]] = {
    "en": {"constraints": "No leverage; at most 5% in one name.", "time_horizon": "Two years"},
    "zh": {"constraints": "不加杠杆；单一持仓不超过5%。", "time_horizon": "两年"},
}
FOUND: dict[PartName, PartAnswer] = {"risks": PartAnswer((ResearchStatement("Export rules are a risk."),), "offline")}
HOW_TO_ANSWER = (
    SliceText("S1", {"language_preference": SafeText("zh")}, "profile"),
    SliceText("S2", {"research_depth": SafeText("quick")}, "profile"),
    SliceText("S3", {"risk_prompt_preference": SafeText("risk_first")}, "profile"),
)


def _asker(
    *slices: SliceText, threads: tuple[Thread, ...] = (), told: tuple[ResearchStatement, ...] = ()
) -> PersonalView:
    return PersonalView(LoadedSlices((*HOW_TO_ANSWER, *slices)), threads, told)


def _thread(title: str, kind: str, name: str) -> Thread:
    return Thread(title=title, object_kind=kind, object_name=name)


def _stated(name: SliceName, scope: Any = "task", **values: str) -> SliceText:
    return SliceText(name, {field: SafeText(value) for field, value in values.items()}, scope)


def _by_rule(asker: PersonalView, prompt: str = "Buy Nvidia?", language: Language = "en", **fields: Any) -> list[str]:
    brief = ResearchBrief(prompt, language)
    note, degraded = with_degraded(
        lambda: compose_note(brief, fields.get("found", FOUND), asker, configured_model(None))
    )
    assert note is not None
    assert degraded == ("model_offline",)
    return [one.text for one in note.statements]


@pytest.mark.parametrize(
    ("language", "lines"),
    [
        (
            "en",
            [
                "You said: “No leverage”. Does this decision keep to it?",
                "You said: “at most 5% in one name”. Does this decision keep to it?",
                "You named a time horizon: “Two years”. Does this decision fit it?",
            ],
        ),
        (
            "zh",
            [
                "你说过：“不加杠杆”。这个决定符合吗？",
                "你说过：“单一持仓不超过5%”。这个决定符合吗？",
                "你说的投资期限是：“两年”。这个决定与之相符吗？",
            ],
        ),
    ],
)
def test_each_limit_is_a_question_beside_the_decision(language: Language, lines: list[str]) -> None:
    assert _by_rule(_asker(_stated("S8", **LIMITS[language])), language=language) == lines


@pytest.mark.parametrize(
    ("language", "said", "line"),
    [
        ("en", "100 shares at 80.", "You said of what you hold: “100 shares at 80”. Count it in before you decide."),
        ("zh", "持有100股。", "关于持仓，你说过：“持有100股”。做决定之前请把它考虑在内。"),
    ],
)
def test_what_they_hold_is_to_be_counted_in(language: Language, said: str, line: str) -> None:
    stated = _stated("S7", user_stated_position_context=said)

    assert _by_rule(_asker(stated), language=language) == [line]


def test_how_they_research_is_held_against_the_risks_where_there_are_any() -> None:
    style = _asker(_stated("S5", "thread", research_style="Bottom up"))

    assert _by_rule(style) == [
        "You research this like this: “Bottom up”. Which of the risks above does it look at, and which not?"
    ]
    assert _by_rule(style, language="zh") == ["你这样做研究：“Bottom up”。上面的风险，哪些在它的视野之内，哪些不在？"]
    assert _by_rule(style, found={"risks": PartAnswer((), "offline")}) == []


THREADS = (
    _thread("Do margins hold?", "asset", "NVDA"),
    _thread("Ma and the rest", "asset", "MA"),
    _thread("Baijiu stocks", "asset", "贵州茅台"),
    _thread("Next results", "event", "NVDA earnings"),
)


@pytest.mark.parametrize(
    ("prompt", "titles"),
    [
        ("Which stories are told about Nvidia?", ["Do margins hold?"]),
        ("英伟达的故事有哪些?", ["Do margins hold?"]),
        ("What do Nvidia's earnings lead to?", ["Do margins hold?", "Next results"]),
        ("Ma and Pa run a shop.", []),
        ("What of MA and V?", ["Ma and the rest"]),
        ("茅台批价走势如何?", ["Baijiu stocks"]),
        ("Has the trend in gold ended?", []),
    ],
)
def test_a_thread_is_named_where_it_follows_what_is_spoken_of(prompt: str, titles: list[str]) -> None:
    rows = _stated("S6", "rows", recent_active_threads="…")
    lines = _by_rule(_asker(rows, threads=THREADS), prompt, found={})

    assert lines == [f"Your thread “{title}” follows the same thing." for title in titles]


def test_a_thread_is_also_found_by_what_the_findings_speak_of_in_chinese() -> None:
    rows = _stated("S6", "rows", recent_active_threads="…")
    found: dict[PartName, PartAnswer] = {"market": PartAnswer((ResearchStatement("Nvidia leads."),), "offline")}

    assert _by_rule(_asker(rows, threads=THREADS), "故事有哪些?", "zh", found=found) == [
        "你的专题“Do margins hold?”跟踪的是同一件事。"
    ]


def test_each_line_names_what_it_was_taken_from() -> None:
    thread = Thread(id=new_id(), title="Nvidia", object_kind="asset", object_name="NVDA")
    slices = (_stated("S5", "thread", research_style="Bottom up"), _stated("S8", **LIMITS["en"]))
    asker = _asker(*slices, threads=(thread,))
    note = compose_note(ResearchBrief("Nvidia?", "en"), FOUND, asker, configured_model(None))

    assert note is not None
    assert [one.sources for one in note.statements] == [
        (StatementSource("context"),),
        *[(StatementSource("prompt"),)] * 3,
        (StatementSource("thread", str(thread.pk)),),
    ]


def test_what_was_told_has_a_section_of_its_own() -> None:
    assert _by_rule(_asker(told=(ResearchStatement("I like Nvidia."),)), "Nvidia?") == []


def test_without_anything_but_how_to_answer_no_model_is_asked() -> None:
    model: Any = RecordingModel(lambda _: {"note": "Never."})

    assert compose_note(ResearchBrief("Nvidia?", "en"), FOUND, _asker(), model) is None
    assert model.prompts == []


@pytest.mark.parametrize(
    ("says", "texts", "degraded"),
    [
        ("It is 5% of what you allow.", ["It is 5% of what you allow."], ()),
        ("", [], ()),
        ("It falls by 99%.", ["You said: “at most 5% in one name”. Does this decision keep to it?"],
         ("analysis_fallback",)),
    ],
)  # fmt: skip
def test_a_models_note_is_taken_unless_it_names_a_figure_that_nobody_gave(
    says: str, texts: list[str], degraded: tuple[str, ...]
) -> None:
    model: Any = RecordingModel(lambda _: {"note": says})
    told = ResearchStatement("Alice sold Nvidia.", None, (StatementSource("event", "e"),))
    asker = _asker(_stated("S8", constraints="at most 5% in one name"), told=(told,))
    note, reported = with_degraded(lambda: compose_note(ResearchBrief("Buy Nvidia?", "en"), FOUND, asker, model))

    assert note is not None
    assert ([one.text for one in note.statements], reported) == (texts, degraded)
    if texts == [says]:
        assert note.statements[0].sources == (
            StatementSource("model"),
            StatementSource("event", "e"),
            StatementSource("context"),
        )
    _assert_knows_them(model.prompts[0])


def _assert_knows_them(prompt: Prompt) -> None:
    """The slices last before the message, S3 among them for the tone, as long as S2 says, in the task's language."""
    assert "Say in at most 1 sentences" in prompt.system
    assert "Answer in English." in prompt.system
    assert "Alice sold Nvidia." in prompt.context
    assert "\nrisk_prompt_preference: risk_first\nconstraints: at most 5% in one name\n" in prompt.context
    assert "Export rules are a risk." in prompt.messages[-1].content


class _Malformed:
    is_offline = False

    def effective_id(self, model_id: str) -> str:
        return model_id

    def call(self, *_: Any, **__: Any) -> Any:
        raise MalformedReply

    stream = call


def test_a_model_that_fails_leaves_it_to_the_rules() -> None:
    asker = _asker(_stated("S8", time_horizon="两年"))
    note, degraded = with_degraded(lambda: compose_note(ResearchBrief("Buy?", "zh"), FOUND, asker, _Malformed()))

    assert note is not None
    assert [one.text for one in note.statements] == ["你说的投资期限是：“两年”。这个决定与之相符吗？"]
    assert degraded == ("analysis_fallback",)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("route", "line"),
    [
        ("risk_challenge", "You research this like this: “Bottom up”."),
        ("pre_execution", "You said: “No leverage”."),
        ("narrative_mapper", "Your thread “Is it priced in?” follows the same thing."),
        ("event_impact_reader", "Your thread “Is it priced in?” follows the same thing."),
        ("snapshot", ""),
        ("evidence_audit", ""),
    ],
)
def test_each_route_that_states_no_thesis_says_it_beside_its_result(alice: User, route: str, line: str) -> None:
    allow(alice)
    own = follow(alice, "Where does Nvidia stand?")
    follow(alice, "Is it priced in?")
    stated = {"research_style": "Bottom up", "constraints": "No leverage"}
    prompt = "Nvidia's earnings rose 5%. Export rules are a risk."
    done = run(alice, prompt, route, overrides=stated, thread_id=own.pk)

    with acting_as(alice.pk):
        note = note_of(permit_for(alice), done)
    assert [one.startswith(line) for one in (note.lines if note else ())] == [True] * bool(line)
    assert line == "" or line not in str(done.report)


@pytest.mark.django_db(transaction=True)
def test_what_a_models_note_says_may_not_execute_either(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(alice)
    model = RecordingModel(lambda asked: answered(asked, note="Your order has been placed."))
    monkeypatch.setattr(task_execution, "configured_model", lambda *_: model)
    done = run(alice, "Check my decision on Nvidia.", "pre_execution", overrides={"constraints": "No leverage"})

    assert (done.state, done.error_code) == ("failed", "boundary_refused")
    with acting_as(alice.pk):
        assert note_of(permit_for(alice), done) is None
