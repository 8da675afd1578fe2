"""The doors of the server: which requests come in, and what each answer says of what a browser may do with it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import suppress

import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.state.common import unpack_widget_state_value

from tokviz.base.errors import SettingError
from tokviz.ui.server import readable
from tokviz.ui.server.below import base_path
from tokviz.ui.server.connection import TOO_LARGE
from tokviz.ui.server.doors import Doors
from tokviz.ui.server.faults import LINES, log_without_messages
from tokviz.ui.server.gate import STREAM
from tokviz.ui.server.headers import frames, of_all, policy
from tokviz.ui.server.readable import MESSAGE_BYTES, NOT_BYTES, UNREADABLE, WIDGETS, Readable

HERE = "http://127.0.0.1:8501"


async def talk(websocket: WebSocket) -> None:
    await websocket.accept()
    await websocket.send_text("hello")


def served(path: str = "") -> TestClient:
    """A server behind the doors that answers to everything, with the path that Streamlit's routes see."""
    methods = ["GET", "PUT", "POST", "DELETE"]
    everything = Route("/{path:path}", lambda request: PlainTextResponse(request.url.path), methods=methods)
    routes, layers = [WebSocketRoute("/{path:path}", talk), everything], [Middleware(Doors, pages=["train"], path=path)]
    return TestClient(Starlette(routes=routes, middleware=layers), base_url=HERE)


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setenv("TOKVIZ_HOSTS", "class.school.example, *.test.example")
    return served()


@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("127.0.0.1:8501", True),
        ("localhost", True),
        ("[::1]:8501", True),
        ("192.0.2.14:8501", True),  # what a student types
        ("class.school.example", True),
        ("CLASS.school.example.:8501", True),
        ("a.test.example", True),
        ("test.example", False),
        ("evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("127.0.0.1:8501@evil.example", False),
        ("localhost:port", False),
        ("<script>alert(1)</script>", False),
        ("", False),
    ],
)
def test_a_server_answers_under_its_own_names_only(client: TestClient, host: str, known: bool) -> None:
    answer = client.get("/train", headers={"host": host})
    assert answer.status_code == (200 if known else 400)
    if not known:
        assert "TOKVIZ_HOSTS" in answer.text and "<script" not in answer.text
        with pytest.raises(WebSocketDisconnect), client.websocket_connect("/tokviz/live", headers={"host": host}):
            pass


@pytest.mark.parametrize(
    ("asked", "seen"),
    [
        ("/a/tok/", "/a/tok/"),
        ("/a/tok/train", "/a/tok/train"),
        ("/a/tok/_stcore/health", "/a/tok/_stcore/health"),
        ("/a/tok/tokviz/watch.js", "/tokviz/watch.js"),  # one of our own routes
        ("/a/tok/_stcore/metrics", None),  # what is closed is closed below the path
        ("/_stcore/health", None),
        ("/a/tokens", None),
        ("/", None),
    ],
)
def test_below_a_path_the_same_is_open(asked: str, seen: str | None) -> None:
    answer = served("/a/tok").get(asked)
    assert (answer.status_code, answer.text) == (200, seen) if seen else answer.status_code == 404


def test_beside_its_path_a_server_says_where_it_is() -> None:
    client = served("/a/tok")
    assert client.get("/a/tok?v=1", follow_redirects=False).headers["location"] == "/a/tok/?v=1"
    nowhere = client.get("/a/tok/other", headers={"accept": "text/html"}, follow_redirects=False)
    assert nowhere.headers["location"] == "/a/tok/nowhere?path=other"
    assert "tokviz is at /a/tok/" in client.get("/train").text
    with client.websocket_connect("/a/tok/tokviz/live", headers={"host": "localhost"}) as socket:
        assert socket.receive_text() == "hello"
    with (
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect("/tokviz/live", headers={"host": "localhost"}),
    ):
        pass


@pytest.mark.parametrize("said", ["tools/tok", "/tools/tok/", "tools/tok/"])
def test_a_path_is_written_with_slashes_or_without(monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    monkeypatch.setattr(st, "get_option", {"server.baseUrlPath": said}.get)
    assert base_path() == "/tools/tok"


@pytest.mark.parametrize("said", ["a;b", "a b", "a//b", "../b", "a?b", "é", "a\nb"])
def test_a_server_below_what_is_no_path_does_not_start(monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    monkeypatch.setattr(st, "get_option", {"server.baseUrlPath": said}.get)
    with pytest.raises(SettingError, match=r"which is no path\. Write it as"):
        base_path()


def test_every_answer_has_the_headers(client: TestClient) -> None:
    for path, host in (
        ("/", "127.0.0.1"),
        ("/static/x.js", "127.0.0.1"),
        ("/_stcore/metrics", "127.0.0.1"),
        ("/", "x.y"),
    ):
        headers = client.get(path, headers={"host": host}).headers
        assert headers["x-content-type-options"] == "nosniff" and headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "same-origin" and "camera=()" in headers["permissions-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers.get("cross-origin-opener-policy") == ("same-origin" if host == "127.0.0.1" else None)


def test_sites_that_are_named_may_show_it_in_a_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKVIZ_FRAMES", "https://a.example, https://*.B.example:8443 http://localhost:8080")
    of_all.cache_clear()
    try:
        headers = of_all()
    finally:
        of_all.cache_clear()
    sites = "https://a.example https://*.b.example:8443 http://localhost:8080"
    assert (
        headers["content-security-policy"].endswith(f"; frame-ancestors {sites}") and "x-frame-options" not in headers
    )


@pytest.mark.parametrize(
    "site",
    ["*", "a.example", "http://a.example", "https://a.example/", "https://*", "https://a.*", "'self'", "https:", "a;b"],
)
def test_what_is_no_site_is_refused_at_the_start(monkeypatch: pytest.MonkeyPatch, site: str) -> None:
    monkeypatch.setenv("TOKVIZ_FRAMES", f"https://a.example {site}")
    with pytest.raises(SettingError, match="Write sites as https://course"):
        frames()


def test_no_page_may_run_what_is_not_of_this_server() -> None:
    """Scripts come from the server and from blobs that they make; the one in Streamlit's page is known by its sum."""
    own, blobs, *sums = policy()["script-src"].split()
    assert (own, blobs) == ("'self'", "blob:") and sums and all(one.startswith("'sha256-") for one in sums)
    assert policy()["default-src"] == "'none'" and policy()["connect-src"] == "'self'"
    assert not any("http" in sources or "*" in sources for sources in policy().values())


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/_stcore/health", 200),
        ("GET", "/_stcore/host-config", 200),
        ("PUT", "/_stcore/upload_file/session/file", 200),
        ("POST", "/_stcore/upload_file/session/file", 405),
        ("GET", "/_stcore/metrics", 404),
        ("GET", "/_stcore/script-health-check", 404),
        ("GET", "/_stcore/agent/openapi.json", 404),
        ("POST", "/_stcore/agent/mcp", 404),
        ("GET", "/component/some.component/index.html", 404),
        ("GET", "/auth/login", 404),
        ("GET", "/oauth2callback", 404),
        ("POST", "/", 405),
        ("PUT", "/train", 405),
    ],
)
def test_only_what_the_pages_use_is_open(client: TestClient, method: str, path: str, status: int) -> None:
    assert client.request(method, path).status_code == status


@pytest.mark.parametrize("origin", ["http://evil.example", "http://127.0.0.1:3000", "http://localhost:8501", "null"])
def test_a_page_of_another_site_opens_no_socket_and_brings_no_file(client: TestClient, origin: str) -> None:
    foreign = {"origin": origin}
    assert client.put("/_stcore/upload_file/session/file", headers=foreign).status_code == 403
    for path in ("/_stcore/stream", "/tokviz/live"):
        with (
            pytest.raises(WebSocketDisconnect),
            client.websocket_connect(path, headers=foreign | {"host": "127.0.0.1:8501"}),
        ):
            pass
        with client.websocket_connect(path, headers={"origin": HERE, "host": "127.0.0.1:8501"}) as socket:
            assert socket.receive_text() == "hello"


@pytest.fixture
def now(caplog: pytest.LogCaptureFixture) -> Iterator[list[float]]:
    """The log of a server, with a clock that can be set."""
    make, now = logging.getLogRecordFactory(), [0.0]
    caplog.handler.setFormatter(logging.Formatter("%(message)s"))
    log_without_messages(lambda: now[0])
    yield now
    logging.setLogRecordFactory(make)


@pytest.mark.usefixtures("now")
def test_the_log_has_no_message_of_an_exception(caplog: pytest.LogCaptureFixture) -> None:
    """What somebody typed can be in it, in those before it too."""
    try:
        try:
            int("typed")
        except ValueError as fault:
            raise KeyError("typed too") from fault
    except KeyError:
        logging.getLogger("streamlit.somewhere").exception("A part of a page failed")
    assert "test_doors.py" in caplog.text and "ValueError" in caplog.text and "KeyError" in caplog.text
    assert "typed" not in "".join(line for line in caplog.text.splitlines() if not line.startswith("    "))


@pytest.mark.right
def test_a_value_that_a_widget_cannot_have_is_one_line_in_the_log_once_a_minute(
    caplog: pytest.LogCaptureFixture, now: list[float]
) -> None:
    """Anybody can send one, again and again. A traceback of 4 KB each time filled the disk."""
    assert st.get_option("logger.enableRich") is False, "it writes messages past the log"
    written = []
    for _ in range(4):
        try:
            unpack_widget_state_value(WidgetState(json_value="{typed"))
        except ValueError as fault:
            logging.getLogger("streamlit.error_util").error("Uncaught app execution", exc_info=fault)
        now[0] += 20
        written.append(caplog.text.count("\n"))
    assert written == [1, 1, 1, 2]
    assert "JSONDecodeError" in caplog.text and "typed" not in caplog.text and "Traceback" not in caplog.text


def test_no_place_in_the_code_fills_the_log(caplog: pytest.LogCaptureFixture, now: list[float]) -> None:
    """A line for each odd message was 23 MB in 14 s."""
    written = []
    for _ in range(3):
        for n in range(1_000):
            logging.getLogger("streamlit.somewhere").warning("An odd message: %s", n)
        logging.getLogger("tokviz.server").warning("another place")
        written.append((caplog.text.count("odd"), caplog.text.count("another")))
        now[0] += 30
    assert written == [(LINES, 1), (LINES, 2), (2 * LINES, 3)]


def values_of(n: int) -> bytes:
    message = BackMsg()
    for _ in range(n):
        message.rerun_script.widget_states.widgets.add()
    return bytes(message.SerializeToString())


@pytest.mark.right
@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ("text", NOT_BYTES),
        (b"no message", UNREADABLE),
        (b"", None),
        (b"Z\x05\n\x03a\xed\xa0", UNREADABLE),
        (values_of(WIDGETS), None),
        (values_of(WIDGETS + 1), UNREADABLE),
        (b"Z" * (MESSAGE_BYTES + 1), TOO_LARGE),
    ],
    ids=["text", "no message", "nothing", "half a character", "many values", "too many", "too large"],
)
def test_what_is_no_message_of_a_page_closes_its_connection(sent: str | bytes, code: int | None) -> None:
    """Streamlit never sees it: it would write a traceback into the log."""
    seen: list[bytes] = []

    async def stream(websocket: WebSocket) -> None:
        await websocket.accept()
        with suppress(WebSocketDisconnect):
            while True:
                seen.append(await websocket.receive_bytes())
                await websocket.send_text("more")

    app = Starlette(routes=[WebSocketRoute(STREAM, stream)], middleware=[Middleware(Readable)])
    with TestClient(app).websocket_connect(STREAM) as socket:
        (socket.send_text if isinstance(sent, str) else socket.send_bytes)(sent)  # type: ignore[operator]
        if code is None:
            assert socket.receive_text() == "more" and seen == [sent]
        else:
            with pytest.raises(WebSocketDisconnect) as closed:
                socket.receive_text()
            assert closed.value.code == code and not seen


def test_millions_of_values_are_not_even_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readable, "BackMsg", None)
    assert readable.readable(values_of(readable.BEGINNINGS + 1)) is None
