"""The scripts and styles of the components, as files below one address that changes with their content.

Streamlit sends a component's script and style again with each change of its data. So it gets a stub, which has
kit/mount.js fetch the files and draw. A browser keeps them for good, since the address has a sum of all of them.

A script is served with all that it imports, as one file (bundle.py). A style is served as a script that exports it as a
sheet (`kit/kit.css.js`): so a component is not drawn before its styles are there.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tokviz.offline.files import FOLDER, KIT, PALETTE, script, source, variables

KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
OF_ALL = ("kit/mount.js", *(f"{style}.js" for style in KIT))  # what each component needs
_AT = "tokviz/ui/{sum}/"
_IMAGES = "/app/static"  # of all addresses of this server, Streamlit knows only those below this one as an image's
KEPT = {"cache-control": "public, max-age=31536000, immutable", "vary": "accept-encoding"}
_NOT_KEPT = {"cache-control": "no-store", "vary": "accept-encoding"}

# It is a blob:, which cannot import by a relative address. It imports in the function: what a module imports at its top
# level and was not loaded once stays so until the page is loaded again; watch.js says that it was not. And it counts
# its calls, because those that wait for the same import do not go on in their order. It is sent again in each run.
_STUB = """const at = new URL("./{at}", document.baseURI).href;
let calls = 0;
const failed = () => dispatchEvent(new Event("vite:preloadError"));
export default async (given, call = ++calls) =>
  (await import(`${{at}}kit/mount.js`).catch(failed)).mount?.(at, {entry}, {sheets}, given, call);
"""

_SHEET = "const sheet = new CSSStyleSheet();\nsheet.replaceSync({text});\nexport default sheet;\n"


def component(name: str, entry: str, *styles: str) -> Any:
    """Register the component "tokviz_<name>", and return Streamlit's function that puts it on a page.

    entry: the script whose default export draws it. styles: after those that all components have. All are named by
    their places below tokviz/ui, such as "kit/menu.css".
    """
    if unknown := {entry, *styles} - _files().keys():
        raise ValueError(f"There is no {min(unknown)} in tokviz/ui.")
    sheets = [f"{style}.js" for style in styles]
    stub = _STUB.format(at=address(""), entry=json.dumps(entry), sheets=json.dumps(sheets))
    put = st.components.v2.component(f"tokviz_{name}", js=stub)

    def drawn(*, data: Any = None, **how: Any) -> Any:
        """Put the component on the page. Its data goes in a list, which mount.js takes it out of: in a dict Streamlit
        would look for data frames, and load pandas and pyarrow for that, which take 75 MB."""
        return put(data=[data], **how)

    return drawn


def address(place: str) -> str:
    """Name the address of a file, such as that of "kit/mount.js", as a page says it: relative to its own."""
    return _AT.format(sum=_sum()) + place


def image(place: str) -> str:
    """Name the address of an image as Streamlit takes it, which writes any other image itself into each run."""
    return f"{_IMAGES}/{address(place)}"


@lru_cache(1)
def _files() -> dict[str, Path]:
    """Find the files that are served, by their places."""
    found = (path for path in sorted(FOLDER.rglob("*")) if path.suffix in KINDS)
    return {path.relative_to(FOLDER).as_posix(): path for path in found}


@lru_cache(1)
def _sum() -> str:
    """Sum up all of them, and the modules that put them together."""
    whole = hashlib.sha256(variables().encode())
    for path in (*_files().values(), Path(__file__), *sorted(FOLDER.parent.glob("offline/*.py"))):
        whole.update(hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()[:16]


def _text(place: str) -> str:
    """Put together what is at a place."""
    if place != PALETTE and place not in _files():
        return _SHEET.format(text=json.dumps(source(place.removesuffix(".js"))))
    return script(place) if place.endswith(".js") else source(place)


@lru_cache(None)
def _packed(place: str) -> bytes:
    """Compress what is at a place, for the first who asks."""
    return gzip.compress(_text(place).encode(), 9, mtime=0)


def _file(request: Request) -> Response:
    """Answer with what is at a place. A page from before a restart asks under an old sum: it gets today's file."""
    place = request.path_params["place"]
    style = place.removesuffix(".js")
    if place not in _files() and style != PALETTE and not (style.endswith(".css") and style in _files()):
        return Response(status_code=404, headers=_NOT_KEPT)
    headers = KEPT if request.path_params["sum"] == _sum() else _NOT_KEPT
    data = _packed(place)
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers = {**headers, "content-encoding": "gzip"}
    else:
        data = gzip.decompress(data)
    return Response(data, media_type=KINDS[Path(place).suffix], headers=headers)


ROUTES = [Route(f"{above}/{_AT}{{place:path}}", _file) for above in ("", _IMAGES)]
