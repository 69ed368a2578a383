"""What a browser keeps of the page, for the time when the server is away.

A service worker (`game/page/sw.js`) keeps the page's files as one set, which has the digest of all of them as its
version: a browser asks for ``/sw.js`` at every visit, and where a file has changed it fetches the whole set anew.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Final

INDEX: Final = "index.html"
WORKER: Final = "sw.js"
KEPT: Final = (".css", ".js", ".json")
"""Endings of the files without which the page cannot be shown."""


def files(page: Path) -> dict[str, Path]:
    """The files of the folder ``page`` that are kept, by the path at which they are asked for."""
    found = {
        f"/page/{path.relative_to(page).as_posix()}": path
        for path in sorted(page.rglob("*"))
        if path.suffix in KEPT and path.name != WORKER
    }
    return {"/": page / INDEX, **found}


def worker(page: Path) -> str:
    """The service worker's script, with the set of files that it keeps.

    Raises:
        OSError: if there is no page.
    """
    script = (page / WORKER).read_text("utf-8")
    kept = files(page)
    digest = hashlib.sha256(script.encode())
    for name, path in kept.items():
        digest.update(name.encode() + hashlib.sha256(path.read_bytes()).digest())
    shell = json.dumps({"version": digest.hexdigest()[:16], "files": list(kept)})
    return f"const SHELL = {shell};\n{script}"
