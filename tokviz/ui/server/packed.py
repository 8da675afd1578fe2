"""Streamlit's own scripts and styles, compressed: it sends them as they are, 3 MB for a first visit."""

from __future__ import annotations

import gzip
from functools import lru_cache
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Scope
from streamlit import file_util

from tokviz.ui.kit.served import KEPT, KINDS


async def packed(scope: Scope, asked: Headers) -> Response | None:
    """The answer to a request for one of them, if the browser can unpack it; else None."""
    file = _files().get(scope["path"]) if scope["method"] == "GET" else None
    if not file or "gzip" not in asked.get("accept-encoding", ""):
        return None
    data = await run_in_threadpool(_packed, file)
    return Response(data, media_type=KINDS[file.suffix], headers={**KEPT, "content-encoding": "gzip"})


@lru_cache(1)
def _files() -> dict[str, Path]:
    """Find the files, by their paths in a request."""
    folder = Path(file_util.get_static_dir())
    found = (path for path in folder.glob("static/**/*") if path.suffix in (".js", ".css"))
    return {f"/{path.relative_to(folder).as_posix()}": path for path in found}


@lru_cache(None)
def _packed(file: Path) -> bytes:
    """Compress a file, for the first who asks. Their names have a sum of what is in them, so it stays the same."""
    return gzip.compress(file.read_bytes(), 6, mtime=0)
