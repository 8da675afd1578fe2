"""The files that a page fetches: kept for good under a sum of their content, compressed once, and nothing else."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from streamlit import file_util

from tokviz.offline.files import script, stylesheet
from tokviz.ui.kit import served
from tokviz.ui.server.doors import Doors

FOREVER = "public, max-age=31536000, immutable"


@pytest.fixture
def client() -> TestClient:
    return TestClient(Starlette(routes=served.ROUTES))


def test_a_script_comes_with_all_that_it_imports_and_is_kept(client: TestClient) -> None:
    answer = client.get("/" + served.address("kit/kit.js"))
    assert answer.text == script("kit/kit.js")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert (answer.headers["cache-control"], answer.headers["content-encoding"]) == (FOREVER, "gzip")


def test_a_browser_that_cannot_unpack_gets_the_same(client: TestClient) -> None:
    address = "/" + served.address("kit/kit.js")
    plain = client.get(address, headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers and plain.text == client.get(address).text


def test_a_style_comes_as_a_script_that_exports_a_sheet(client: TestClient) -> None:
    texts = []
    for place in ("kit/palette.css", "kit/kit.css"):
        answer = client.get("/" + served.address(f"{place}.js"))
        assert answer.headers["content-type"].startswith("text/javascript")
        written = re.fullmatch(r".*replaceSync\((.*)\);\nexport default sheet;\n", answer.text, re.DOTALL)
        assert written
        texts.append(json.loads(written[1]))
    assert "\n".join(texts) == stylesheet()


def test_a_page_from_before_a_restart_gets_the_files_of_today_and_does_not_keep_them(client: TestClient) -> None:
    now = "/" + served.address("kit/mount.js")
    old = client.get(re.sub("[0-9a-f]{16}", "0" * 16, now))
    assert old.text == client.get(now).text and old.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "place",
    ["", "kit", "kit/served.py", "kit/none.js", "kit/mount.js.js", "none.css.js", "../../app.py", "%2e%2e/__init__.py"],
)
def test_nothing_else_is_served(client: TestClient, place: str) -> None:
    assert client.get("/" + served.address("") + place).status_code == 404


def test_the_sum_changes_with_each_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    sums = set[str]()
    for text in ("a {}", "b {}", "b {} "):
        (tmp_path / "a.css").write_text(text)
        served._sum.cache_clear()
        monkeypatch.setattr(served, "_files", lambda: {"a.css": tmp_path / "a.css"})
        sums.add(served.address(""))
    served._sum.cache_clear()
    assert len(sums) == 3


def test_a_component_of_files_that_are_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match=r"There is no kit/none\.css in tokviz/ui\."):
        served.component("none", "kit/mount.js", "kit/none.css")


@pytest.mark.right
def test_what_streamlit_gets_of_a_component_is_short() -> None:
    stub = served._STUB.format(at=served.address(""), entry='"compare/minimap.js"', sheets="[]")
    assert len(stub) < 500


@pytest.mark.parametrize("place", ["js/index", "css/index"])
def test_the_scripts_and_styles_of_streamlit_come_compressed_and_are_the_same(place: str) -> None:
    theirs = Route("/{path:path}", lambda _: PlainTextResponse("theirs"))
    client = TestClient(Starlette(routes=[theirs], middleware=[Middleware(Doors)]), base_url="http://127.0.0.1")
    folder = Path(file_util.get_static_dir())
    file = next(path for path in folder.glob(f"static/{place}.*"))
    address = f"/{file.relative_to(folder).as_posix()}"
    answer = client.get(address)
    assert answer.content == file.read_bytes() and answer.headers["cache-control"] == FOREVER
    assert int(answer.headers["content-length"]) == len(gzip.compress(file.read_bytes(), 6)) < file.stat().st_size / 2
    assert client.get(address, headers={"accept-encoding": "identity"}).text == "theirs"
    for other in ("/static/none.js", "/static/../index.html", "/static/media/none.woff2"):
        assert client.get(other).text == "theirs"
