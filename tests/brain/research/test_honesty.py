"""What a model says is checked against what it was given: its figures, its dates, and whose words they are."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from finclaw.brain.material.brief import ResearchBrief
from finclaw.brain.material.reading import read_material
from finclaw.brain.research import task_execution
from finclaw.brain.research.comparison import compare_inferences
from finclaw.brain.research.note import compose_note
from finclaw.brain.research.part_answers import answer_part
from finclaw.brain.research.parts import PARTS
from finclaw.brain.research.personal_view import PersonalView
from finclaw.brain.research.thesis import compose_thesis
from finclaw.brain.research.types import LoadedSlices
from finclaw.brain.research.wording import EvidenceQuality, quality_note
from foundation.accounts.models import User
from foundation.language import Language
from foundation.llm import configured_model
from memory.research.types import ChangedInference, ResearchStatement, StatementSource
from tests.brain.research.support import RecordingModel, answered, day, is_for_a_part, run, snapshot
from tests.support.cast import allow
from tests.support.degradations import with_degraded

THEN = datetime(2026, 1, 5, tzinfo=UTC)
HELD = tuple(
    ResearchStatement(f"Held {number}: sales were {number} million.", None, (StatementSource("snapshot", "one"),))
    for number in range(12)
)


def _model(*texts: str, **personal: Any) -> Any:
    found = {"statements": [{"text": one} for one in texts]}
    return RecordingModel(lambda prompt: found if is_for_a_part(prompt) else answered(prompt, **personal))


def _thesis(brief: ResearchBrief, model: Any) -> Any:
    return compose_thesis(brief, read_material(brief), {}, PersonalView(LoadedSlices(())), None, model)


@pytest.mark.parametrize(
    ("said", "kept", "unfounded", "postdated"),
    [
        ("In December 2026 Nvidia lost its lead to AMD.", 0, 0, 1),
        ("英伟达在2026年12月失去了领先地位。", 0, 0, 1),
        ("In 2026 it led.", 0, 0, 1),
        ("Of 2026 chips it sold most.", 0, 1, 0),  # the moment itself founds no figure
        ("Its lead is wide.", 1, 0, 0),
    ],
)
def test_a_models_own_look_ahead_is_kept_out_of_a_back_test(
    said: str, kept: int, unfounded: int, postdated: int
) -> None:
    brief = ResearchBrief("Analyze Nvidia. It has a wide lead.", "en", as_of=THEN)
    answer = answer_part(PARTS["evidence"], brief, read_material(brief), _model(said))

    assert (len(answer.statements), answer.unfounded, len(answer.postdated)) == (kept, unfounded, postdated)


def test_a_thesis_its_questions_and_a_note_may_not_look_ahead_either() -> None:
    brief = ResearchBrief("Analyze Nvidia.", "en", as_of=THEN)
    ahead = "It was bought by Intel in December 2026."
    told = PersonalView(
        LoadedSlices(()), user_statements=(ResearchStatement("I like chips.", None, (StatementSource("item", "i"),)),)
    )
    thesis = _thesis(brief, _model(thesis=f"It leads. {ahead}", watch_questions=[ahead, "Does it last?"]))
    note = compose_note(brief, {}, told, _model(note=f"It leads. {ahead}"))

    assert (thesis.text, thesis.watch_questions) == ("It leads.", ("Does it last?",))
    assert note is not None
    assert [one.text for one in note.statements] == ["It leads."]
    assert [one.text for one in (*thesis.postdated, *note.postdated)] == [ahead, ahead]
    assert note.postdated[0].sources == (StatementSource("model"), StatementSource("item", "i"))


def test_a_thesis_is_founded_on_what_was_given_and_not_on_what_was_asked_of_the_model() -> None:
    brief = ResearchBrief("Analyze Nvidia. Revenue grew 12%.", "en")

    model = _model(thesis="Revenue grew 5% and margins 3%.")
    assert with_degraded(lambda: _thesis(brief, model))[1] == ("analysis_fallback",)
    asked = ["Does 12% hold?", "Will it reach 3%?"]
    assert _thesis(brief, _model(thesis="It grew 12%.", watch_questions=asked)).watch_questions == ("Does 12% hold?",)


@pytest.mark.parametrize(
    ("said", "sources"),
    [
        ("Jensen Huang resigned amid an accounting scandal.", (StatementSource("model"),)),
        ("revenue grew 12%", (StatementSource("prompt"),)),
        ("Held 3: sales were 3 million", HELD[3].sources),
        ("Sales held were about 3 million.", (StatementSource("model"), *HELD[3].sources)),
    ],
)
def test_what_a_model_writes_is_its_own_word_unless_it_repeats_what_was_given(
    said: str, sources: tuple[StatementSource, ...]
) -> None:
    brief = ResearchBrief("Analyze Nvidia. Revenue grew 12%.", "en", HELD[3:4])
    answer = answer_part(PARTS["evidence"], brief, read_material(brief), _model(said))

    assert [one.sources for one in answer.statements] == [sources]


def test_what_is_new_leaves_room_for_what_the_thread_held_and_what_is_cut_is_known() -> None:
    news = "\n".join(f"New {number}: revenue was {number} million." for number in range(28))
    brief = ResearchBrief(news, "en", HELD)
    answer = answer_part(PARTS["evidence"], brief, read_material(brief), configured_model(None))

    assert answer.statements[12:] == HELD
    assert (len(answer.statements), len(answer.too_long)) == (24, 16)


def test_what_is_told_of_another_day_replaces_nothing() -> None:
    first, second = (ResearchStatement(f"Revenue was {at}.", THEN + timedelta(days=at)) for at in (1, 2))

    assert compare_inferences([first], [second]) == (
        ChangedInference("", second.text),
        ChangedInference(first.text, ""),
    )


@pytest.mark.parametrize(
    ("language", "by_rule", "count", "parts"),
    [
        (
            "en",
            True,
            1,
            ["Made of your own words alone. Evidence: 1", "16 more statements of your words", "not repeat"],
        ),
        ("en", False, 1, ["Written by a language model from your words, and not checked."]),
        ("en", True, 0, ["Your words hold no evidence"]),
        ("en", False, 0, ["Evidence: 0 found"]),
        ("zh", True, 1, ["仅由你自己的话整理而成。证据：共 1 条", "另有 16 条因篇幅未列出", "不再重复列出"]),
        ("zh", False, 1, ["由语言模型根据你的话写成，未经核实。"]),
        ("zh", True, 0, ["你的话里没有证据"]),
        ("zh", False, 0, ["共 0 条"]),
    ],
)
def test_the_note_says_who_wrote_it_what_it_counts_and_what_is_missing(
    language: Language, by_rule: bool, count: int, parts: list[str]
) -> None:
    note = quality_note(
        language, EvidenceQuality(HELD[:count], shows=False, by_rule=by_rule, partly_by_rule=by_rule, too_long=16)
    )

    assert [one for one in parts if one not in note] == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("prompt", "kind", "name"),
    [
        ("Analyze the merger that Intel announced in December 2026. Its margins are thin.", "asset", "Intel"),
        ("分析英特尔2026年12月宣布的并购。它的利润率很低。", "asset", "英特尔"),
        ("Analyze the bank crash of December 2026.", "theme", "What was asked"),
    ],
)
def test_the_subjects_name_tells_nothing_of_what_came_later(
    alice: User, monkeypatch: pytest.MonkeyPatch, prompt: str, kind: str, name: str
) -> None:
    allow(alice)
    ahead = "In December 2026 it was bought."
    monkeypatch.setattr(task_execution, "configured_model", lambda *_: _model(ahead, thesis=ahead))
    task = run(alice, prompt, as_of=day("2026-01-05"))
    made = snapshot(alice, task)

    assert (made.object_kind, made.object_name) == (kind, name)
    assert not [one for one in (*made.evidence, *made.counter_thesis, *made.invalidators) if "2026" in one["text"]]
    assert "2026" not in made.main_thesis
    assert [one["text"] for one in task.lookahead_warnings][1:] == [ahead]
