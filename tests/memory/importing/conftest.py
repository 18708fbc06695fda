"""Invented documents in the formats that are imported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

Document = dict[str, Any]


@pytest.fixture
def locomo_document() -> list[Document]:
    """Two sessions of Ann and Ben; one of Ann's turns shows a picture."""
    return [
        {
            "sample_id": "garden",
            "conversation": {
                "speaker_a": "Ann",
                "speaker_b": "Ben",
                "session_1_date_time": "1:56 pm on 8 May, 2023",
                "session_1": [
                    {"speaker": "Ann", "dia_id": "D1:1", "text": "I planted tomatoes on the balcony."},
                    {"speaker": "Ben", "dia_id": "D1:2", "text": "How many plants fit there?"},
                    {"speaker": "Ann", "dia_id": "D1:3", "text": "Look!", "blip_caption": "a row of green pots"},
                ],
                "session_2_date_time": "10:05 am on 1 June, 2023",
                "session_2": [
                    {"speaker": "Ben", "dia_id": "D2:1", "text": "My sister bought a telescope."},
                    {"speaker": "Ann", "dia_id": "D2:2", "text": "Did she see Saturn?"},
                ],
            },
            "qa": [
                {"question": "Who bought a telescope?", "category": 4, "evidence": ["D2:1"], "answer": "Ben's sister"},
                {"question": "What grows on the balcony?", "category": 4, "evidence": ["D1:1; D:1:3"]},
                {"question": "Which planet did Ben paint?", "category": 5, "evidence": ["D2:2"]},
                {"question": "Where is the lake?", "category": 1, "evidence": ["D9:9"]},
            ],
        }
    ]


@pytest.fixture
def locomo_file(tmp_path: Path, locomo_document: list[Document]) -> Path:
    return written(tmp_path / "locomo.json", locomo_document)


@pytest.fixture
def memorybank_file(tmp_path: Path) -> Path:
    """赵敏 and the assistant on two days."""
    history = {
        "2023-04-27": [
            {"query": "你好，我叫赵敏。", "response": "你好，赵敏。"},
            {"query": "我养了一只橘猫，叫年糕。", "response": "年糕这个名字真好听。"},
        ],
        "2023-04-28": [{"query": "今天我在河边看到了白鹭。", "response": "白鹭很优雅。"}],
    }
    return written(tmp_path / "memorybank.json", {"赵敏": {"name": "赵敏", "history": history}})


@pytest.fixture
def lines_file(tmp_path: Path) -> Path:
    """A private conversation of Dora's and a group of Dora and Emil."""
    lines = [
        {"conversation": "diary", "session": "monday", "speaker": "Dora", "text": "I sold the old bicycle."},
        {"conversation": "diary", "session": "monday", "role": "assistant", "text": "Who bought it?"},
        {"conversation": "desk", "session": 1, "speaker": "Dora", "text": "The audit is on Friday.",
         "at": "2026-03-02T09:30:00Z"},
        {"conversation": "desk", "session": 1, "speaker": "Emil", "text": "Then I book the large room.",
         "at": "2026-03-02T09:31:00"},
    ]  # fmt: skip
    path = tmp_path / "lines.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n", encoding="utf-8")
    return path


def written(path: Path, document: object) -> Path:
    path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    return path
