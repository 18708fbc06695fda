"""Clients that two npm generators write from the OpenAPI document compile, and work against a running product.

Needs Node and the npm registry: ``openapi-typescript`` and ``@hey-api/openapi-ts`` are installed into a temporary
folder.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bench.product import running_product

PACKAGES: Final = ("openapi-typescript@7", "@hey-api/openapi-ts@0.95", "typescript@5", "@types/node@20")
PROGRAM: Final = Path(__file__).parent / "typescript" / "program.ts"
_COMPILED: Final = ("--strict", "--skipLibCheck", "--target", "es2022", "--module", "commonjs", "--outDir", "out")


def main() -> int:
    """Generate both, compile the program against them under strict types, and run it against a product."""
    with TemporaryDirectory() as name, running_product() as product:
        folder, client = Path(name), product.client()
        (folder / "document.json").write_bytes(client.get("schema").content)
        shutil.copy(PROGRAM, folder)
        _run(folder, "npm", "install", "--no-audit", "--no-fund", "--silent", *PACKAGES)
        _run(folder, "npx", "openapi-typescript", "document.json", "-o", "types.ts")
        _run(folder, "npx", "openapi-ts", "-i", "document.json", "-o", "sdk", "-c", "@hey-api/client-fetch")
        _run(folder, "npx", "tsc", *_COMPILED, PROGRAM.name)
        token = client.headers["Authorization"].split()[1]
        _run(folder, "node", "out/program.js", FINCLAW=product.address, TOKEN=token)
    return 0


def _run(folder: Path, *command: str, **environment: str) -> None:
    subprocess.run(command, cwd=folder, check=True, env=os.environ | environment)


if __name__ == "__main__":
    sys.exit(main())
