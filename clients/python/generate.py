"""Generate the parts of ``finclaw_client`` that are not written by hand: its models and its client without ``await``.

    make client

The models come from the OpenAPI document by ``datamodel-code-generator``; ``sync/`` is ``aio/`` without its ``await``s.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

PACKAGE: Final = Path(__file__).parent / "finclaw_client"
ROOT: Final = Path(__file__).parents[2]
MODELS_HEADER: Final = (
    '"""The shapes of what the API takes and answers: made from its OpenAPI document by ``make client``."""'
)
SYNC_HEADER: Final = "# Made of finclaw_client/aio by `make client`.\n"
_OPTIONS: Final = (
    "--input-file-type", "openapi", "--output-model-type", "typing.TypedDict", "--target-python-version", "3.11",
    "--enum-field-as-literal", "all", "--use-schema-description", "--use-field-description", "--disable-timestamp",
    "--use-standard-collections", "--use-union-operator", "--strict-nullable", "--use-exact-imports",
    "--use-single-line-docstring", "--formatters", "builtin", "--openapi-scopes", "schemas", "paths", "parameters",
    "--use-operation-id-as-name",
)  # fmt: skip
_WITHOUT_AWAIT: Final = (
    (r"from anyio import sleep", "from time import sleep"),
    (r"\bfinclaw_client\.aio\b", "finclaw_client.sync"),
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\bAwaitable, |\bAwaitable\[(\w+)\]", r"\1"),
    (r"\basynccontextmanager\b", "contextmanager"),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\b__a(iter|enter|exit)__", r"__\1__"),
    (r"\ba(close|read|iter_bytes)\(", r"\1("),
)


def models(document: Path) -> str:
    """The models of an OpenAPI document."""
    with TemporaryDirectory() as folder:
        made = Path(folder) / "models.py"
        command = ["--input", str(document), "--output", str(made), "--custom-file-header", MODELS_HEADER, *_OPTIONS]
        subprocess.run([sys.executable, "-m", "datamodel_code_generator", *command], check=True)  # noqa: S603
        return made.read_text()


def without_await(module: str) -> str:
    """A module of ``aio`` as it reads in ``sync``."""
    for pattern, replacement in _WITHOUT_AWAIT:
        module = re.sub(pattern, replacement, module)
    return module


def sync_modules() -> dict[str, str]:
    """The modules of ``sync`` by file name, formatted as all our code is."""
    with TemporaryDirectory(dir=PACKAGE) as name:
        folder = Path(name)
        for source in sorted((PACKAGE / "aio").glob("*.py")):
            (folder / source.name).write_text(SYNC_HEADER + without_await(source.read_text()))
        for command in (["check", "--fix", "--unsafe-fixes", "--select", "I,UP", "--quiet"], ["format", "--quiet"]):
            subprocess.run([sys.executable, "-m", "ruff", *command, name], check=True)  # noqa: S603
        return {path.name: path.read_text() for path in sorted(folder.glob("*.py"))}


def main() -> None:
    """Write all of it."""
    with TemporaryDirectory() as folder:
        document = Path(folder) / "openapi.json"
        describe = ["manage.py", "spectacular", "--format", "openapi-json", "--file", str(document)]
        subprocess.run([sys.executable, *describe], cwd=ROOT, check=True)  # noqa: S603
        (PACKAGE / "models.py").write_text(models(document))
    (PACKAGE / "sync").mkdir(exist_ok=True)
    for name, text in sync_modules().items():
        (PACKAGE / "sync" / name).write_text(text)


if __name__ == "__main__":
    main()
