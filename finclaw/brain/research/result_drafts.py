"""Makes the result of each of the seven research routes from its findings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from finclaw.brain.material.brief import ResearchBrief
from finclaw.brain.material.citations import names_source
from finclaw.brain.material.polarity import side_of, speaks_against, speaks_for
from finclaw.brain.material.reading import MaterialReading
from finclaw.brain.research.comparison import compare_inferences, inferences_of, is_reversed, summarise_change
from finclaw.brain.research.part_answers import PartAnswer
from finclaw.brain.research.parts import PartName
from finclaw.brain.research.thesis import ComposedThesis
from finclaw.brain.research.wording import phrase
from memory.models import Route
from memory.research.types import (
    CheckpointDraft,
    CognitionObject,
    RefreshDraft,
    ReportDraft,
    ReportSection,
    ResearchStatement,
    SnapshotDraft,
)

ResultDraft = SnapshotDraft | RefreshDraft | CheckpointDraft | ReportDraft
Statements = tuple[ResearchStatement, ...]


@dataclass(frozen=True)
class ResearchFindings:
    """Everything a skill makes its result of.

    ``inferred`` is what the thread inferred so far, its thesis first. ``told`` are earlier statements of the user;
    ``thesis`` is None and ``told`` empty where the route may not be personal.
    """

    brief: ResearchBrief
    reading: MaterialReading
    cognition_object: CognitionObject
    parts: Mapping[PartName, PartAnswer]
    note: str
    model_id: str
    thesis: ComposedThesis | None = None
    told: Statements = ()
    inferred: Statements = ()

    def part(self, name: PartName) -> Statements:
        """The statements of one part."""
        return self.parts[name].statements

    def text(self, key: str) -> str:
        """A heading in the user's language."""
        return phrase(self.brief.language, key)


def make_result(findings: ResearchFindings, route: Route) -> ResultDraft:
    """The result of a route."""
    return _MAKERS[route](findings)


def _make_snapshot(findings: ResearchFindings) -> SnapshotDraft:
    thesis, invalidators = _required_thesis(findings), findings.part("invalidators")
    market = tuple(statement for statement in findings.part("market") if statement not in invalidators)
    return SnapshotDraft(
        object=findings.cognition_object,
        main_thesis=thesis.text,
        evidence=_each_once(findings.part("evidence"), market),
        counter_thesis=findings.part("counter_thesis"),
        invalidators=invalidators,
        watch_questions=thesis.watch_questions,
        data_quality_note=findings.note,
        model_id=findings.model_id,
        told=findings.told,
        thesis_sources=thesis.sources,
    )


def _make_refresh(findings: ResearchFindings) -> RefreshDraft:
    before = findings.inferred[0].text if findings.inferred else ""
    snapshot = _without_former_invalidators(_make_snapshot(findings), findings, before)
    changes = compare_inferences(findings.inferred, inferences_of(snapshot))
    summary = summarise_change(findings.brief.language, before, snapshot.main_thesis, changes)
    return RefreshDraft(snapshot, summary, changes)


def _without_former_invalidators(snapshot: SnapshotDraft, findings: ResearchFindings, before: str) -> SnapshotDraft:
    """The snapshot without invalidators of the former thesis ``before``, where the new statements reverse it.

    Only the statements decide, so it is the same for everybody.
    """
    if not is_reversed(before, findings.reading.stance):
        return snapshot
    kept = tuple(
        invalidator for invalidator in snapshot.invalidators if invalidator not in findings.brief.earlier_statements
    )
    return replace(snapshot, invalidators=kept)


def _make_challenge(findings: ResearchFindings) -> ReportDraft:
    return _make_report(findings, *(_part_section(findings, name) for name in findings.parts))


def _make_checkpoint(findings: ResearchFindings) -> CheckpointDraft:
    return CheckpointDraft(
        decision=findings.brief.prompt,
        conditions=findings.part("conditions"),
        risks=_each_once(findings.part("risks"), findings.part("counter_thesis")),
        invalidators=tuple(
            statement for statement in findings.part("invalidators") if statement not in findings.part("conditions")
        ),
        data_quality_note=findings.note,
        model_id=findings.model_id,
        told=findings.told,
    )


def _make_audit(findings: ResearchFindings) -> ReportDraft:
    evidence = findings.part("evidence")
    undated = tuple(statement for statement in evidence if statement.dated_at is None)
    unsourced = tuple(statement for statement in evidence if not names_source(statement.text))
    return _make_report(
        findings,
        _part_section(findings, "evidence"),
        ReportSection(findings.text("undated"), undated),
        ReportSection(findings.text("unsourced"), unsourced),
        _part_section(findings, "counter_thesis"),
    )


def _make_narratives(findings: ResearchFindings) -> ReportDraft:
    opposing = findings.part("counter_thesis")
    rest = tuple(
        statement
        for statement in _each_once(findings.part("market"), findings.part("evidence"))
        if statement not in opposing
    )
    is_against = side_of(findings.reading.stance) == "against"  # then the opposing statements are in favour
    agreeing = tuple(statement for statement in rest if (speaks_against if is_against else speaks_for)(statement.text))
    speaking_for, against = (opposing, agreeing) if is_against else (agreeing, opposing)
    return _make_report(
        findings,
        ReportSection(findings.text("for"), speaking_for),
        ReportSection(findings.text("against"), against),
        ReportSection(findings.text("neither"), tuple(statement for statement in rest if statement not in agreeing)),
        ReportSection(findings.text("open"), _question_statements(findings.reading.questions)),
        *_told_sections(findings),
    )


def _make_impact(findings: ResearchFindings) -> ReportDraft:
    effects = ReportSection(findings.text("effects"), findings.part("market"))
    return _make_report(
        findings,
        _part_section(findings, "evidence"),
        effects,
        _part_section(findings, "risks"),
        *_told_sections(findings),
    )


def _make_report(findings: ResearchFindings, *sections: ReportSection) -> ReportDraft:
    return ReportDraft(
        findings.cognition_object.name, sections, findings.note, findings.model_id, findings.cognition_object.sources
    )


def _part_section(findings: ResearchFindings, name: PartName) -> ReportSection:
    return ReportSection(findings.text(name), findings.part(name))


def _told_sections(findings: ResearchFindings) -> Sequence[ReportSection]:
    return [ReportSection(findings.text("told"), findings.told)] if findings.told else []


def _question_statements(questions: Sequence[str]) -> Statements:
    return tuple(map(ResearchStatement, questions))


def _each_once(*some: Statements) -> Statements:
    return tuple(dict.fromkeys(statement for statements in some for statement in statements))


def _required_thesis(findings: ResearchFindings) -> ComposedThesis:
    if findings.thesis is None:
        raise ValueError("this route states a thesis")
    return findings.thesis


_MAKERS: Final[Mapping[Route, Callable[[ResearchFindings], ResultDraft]]] = MappingProxyType(
    {
        Route.SNAPSHOT: _make_snapshot,
        Route.THREAD_REFRESH: _make_refresh,
        Route.RISK_CHALLENGE: _make_challenge,
        Route.PRE_EXECUTION: _make_checkpoint,
        Route.EVIDENCE_AUDIT: _make_audit,
        Route.NARRATIVE_MAPPER: _make_narratives,
        Route.EVENT_IMPACT_READER: _make_impact,
    }
)
