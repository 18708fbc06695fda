"""The embedded multilingual model."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from foundation.embeddings import E5Embedder
from foundation.encoder.e5 import MAX_TOKENS, E5Model

EMBEDDER = E5Embedder()
TEXTS = [
    "I sold my shares",
    "我卖了股票",
    "",
    "😀",
    "A longer sentence, of other words and of another length altogether.",
]


def test_queries_and_passages_are_told_apart() -> None:
    assert not np.allclose(EMBEDDER.embed_queries(TEXTS), EMBEDDER.embed_passages(TEXTS), atol=1e-2)


@pytest.mark.parametrize(
    ("question", "answer", "unrelated"),
    [
        ("What does she do for a living?", "She works as a nurse in Leeds", "He painted a sunrise over the bay"),
        ("Which pets do they own?", "We got a puppy and two cats", "The bond yields fell last week"),
        ("How much risk may I take?", "The user prefers cautious investments", "Trams are late in the winter"),
        ("他靠什么谋生", "他在医院当护士", "昨天去公园看了樱花"),
        ("我能承受多大的亏损", "用户的风险偏好为稳健型", "我喜欢弹钢琴"),
        ("家里养了什么宠物", "我们领养了一只小狗和两只猫", "债券收益率上周下跌"),
        ("Where does he live?", "他去年搬到了上海", "今天的午饭很好吃"),
        ("我对什么过敏", "I cannot eat peanuts, they make me ill", "I planted roses in the garden"),
    ],
)
def test_an_answer_in_other_words_is_nearer_than_what_has_nothing_to_do_with_it(
    question: str, answer: str, unrelated: str
) -> None:
    near, far = EMBEDDER.embed_passages([answer, unrelated]) @ EMBEDDER.embed_queries([question])[0]

    assert near > far + 0.05


@pytest.mark.parametrize(
    "text", ["", " ", "\0", "😀👩‍👩‍👧", "\ud800 lone", "ﷺ", "а" * 300, "word " * 1_600, "长" * 8_000]
)
def test_any_text_has_a_direction(text: str) -> None:
    matrix = EMBEDDER.embed_passages([text])

    assert matrix.shape == (1, E5Embedder.dimensions)
    assert matrix.dtype == np.float32
    assert np.isclose(np.linalg.norm(matrix), 1, atol=1e-4)


def test_of_a_long_text_the_beginning_counts() -> None:
    beginning = "长城" * MAX_TOKENS

    assert np.array_equal(EMBEDDER.embed_passages([beginning + "甲"]), EMBEDDER.embed_passages([beginning + "乙"]))


def test_a_text_has_the_same_vector_alone_and_in_company() -> None:
    together = EMBEDDER.embed_passages(TEXTS)

    assert np.allclose(together, np.vstack([EMBEDDER.embed_passages([text]) for text in TEXTS]), atol=1e-3)


def test_another_instance_of_the_model_gives_the_same_vectors() -> None:
    assert np.array_equal(E5Model().vectors("passage: ", TEXTS), EMBEDDER.embed_passages(TEXTS))


def test_nothing_to_embed_is_no_row() -> None:
    assert EMBEDDER.embed_queries([]).shape == (0, E5Embedder.dimensions)


def test_case_width_and_chinese_script_do_not_matter() -> None:
    one, other = EMBEDDER.embed_passages(["貴州茅臺的ＡＢＣ", "贵州茅台的abc"])

    assert np.array_equal(one, other)


def test_greenlets_go_on_while_a_text_is_embedded() -> None:
    """In a process of its own: gevent's patches cannot be taken back."""
    program = """
from gevent import monkey; monkey.patch_all()
import gevent
from foundation.embeddings import E5Embedder
E5Embedder().embed_queries(["warm-up"])
turns = []
def count():
    while True:
        turns.append(1)
        gevent.sleep(0)
beside = gevent.spawn(count)
E5Embedder().embed_passages(["word " * 300])
raise SystemExit(len(turns) < 2)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_the_runtime_leaves_nothing_and_knows_no_address_to_report_to(tmp_path: Path) -> None:
    program = """
from pathlib import Path
from foundation.embeddings import E5Embedder
E5Embedder().embed_queries(["what is mine"])
import onnxruntime
libraries = Path(onnxruntime.__file__).parent.glob("capi/*.so*")
assert not any(b"events.data.microsoft.com" in library.read_bytes() for library in libraries)
"""
    environment = {**os.environ, "HOME": str(tmp_path), "TMPDIR": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)

    assert list(tmp_path.iterdir()) == []


def test_what_does_not_embed_never_loads_the_runtime() -> None:
    program = "import sys, foundation.embeddings; sys.exit('onnxruntime' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
