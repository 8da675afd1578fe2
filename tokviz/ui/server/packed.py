"""Streamlit's own scripts and styles, compressed: it sends them as they are, 3 MB for a first visit."""

from __future__ import annotations

import gzip
from functools import lru_cache
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import file_util

from tokviz.ui.kit.served import KEPT, KINDS


class Packed:
    """ASGI middleware that answers with them in Streamlit's place, to browsers that can unpack them."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        file = _files().get(scope["path"]) if scope["type"] == "http" and scope["method"] == "GET" else None
        if not file or "gzip" not in Headers(scope=scope).get("accept-encoding", ""):
            await self.app(scope, receive, send)
            return
        headers = {**KEPT, "content-encoding": "gzip"}
        answer = Response(await run_in_threadpool(_packed, file), media_type=KINDS[file.suffix], headers=headers)
        await answer(scope, receive, send)


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
