"""A server that is full: who is still served, what the others are told, and which files are not taken."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from tests.test_visitors import Clock, clock
from tokviz.ui.server import limits, uploads
from tokviz.ui.server.connection import TRY_LATER
from tokviz.ui.server.cookie import COOKIE, new_key
from tokviz.ui.server.doors import RESERVE, SAID, Doors
from tokviz.ui.server.registry import OF_A_PAGE, VISITORS
from tokviz.ui.server.uploads import READ_S, SMALLEST, Uploads

__all__ = ["clock"]

MB = limits.MB


async def talk(websocket: WebSocket) -> None:
    await websocket.accept()
    async for text in websocket.iter_text():
        await websocket.send_text(text)


@pytest.fixture
def client() -> Iterator[TestClient]:
    """A server of pages and sockets behind the counter. Its visitor has no key yet."""
    page = Route("/{path:path}", lambda _: HTMLResponse("the app"))
    routes = [WebSocketRoute("/{path:path}", talk), page]
    app = Starlette(routes=routes, middleware=[Middleware(Doors, pages=["train"])])
    with TestClient(app, headers={"host": "127.0.0.1"}) as client:
        yield client


def load(client: TestClient, key: str | None = None) -> Response:
    cookie = {"cookie": f"{COOKIE}={key}"} if key else {}
    return client.get("/train", headers={"accept": "text/html", **cookie})  # type: ignore[return-value]


def why_closed(client: TestClient, key: str | None = None) -> str:
    """The reason with which the server closes a socket for which it has no room."""
    headers = {"cookie": f"{COOKIE}={key}"} if key else {}
    with client.websocket_connect("/x", headers=headers) as socket, pytest.raises(WebSocketDisconnect) as closed:
        socket.receive_text()
    assert closed.value.code == TRY_LATER
    return closed.value.reason


@contextlib.contextmanager
def connected(client: TestClient, *keys: str) -> Iterator[None]:
    with contextlib.ExitStack() as sockets:
        for key in keys:
            headers = {"cookie": f"{COOKIE}={key}"}
            socket = sockets.enter_context(client.websocket_connect("/_stcore/stream", headers=headers))
            socket.send_text("hello")
            assert socket.receive_text() == "hello"
        yield


def test_when_the_server_is_full_newcomers_are_told_and_open_pages_go_on(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "CONNECTIONS", 20)
    here, keys = new_key(), [new_key() for _ in range(20)]
    VISITORS.of(here)
    with connected(client, *keys[:14]):
        assert load(client).status_code == 200
    with connected(client, *keys[:15]):
        told = load(client)
        assert told.status_code == 503 and int(told.headers["retry-after"]) > 0
        assert "The server is full" in told.text and '<meta http-equiv="refresh"' in told.text  # type: ignore[attr-defined]
        assert load(client, here).status_code == 200, "a page that is open can be loaded again"
        assert client.get("/static/script.js").status_code == 200
    with connected(client, *keys):
        assert why_closed(client) == SAID["server"][2]
    assert VISITORS.sockets == 0 and load(client).status_code == 200


def test_one_visitor_and_one_address_have_so_many_connections(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "CONNECTIONS_A_VISITOR", 6)
    monkeypatch.setattr(limits, "CONNECTIONS_AN_ADDRESS", 10)
    mine, other = new_key(), new_key()
    with connected(client, *[mine] * 6):
        told = load(client, mine)
        assert told.status_code == 429 and "You have many tabs" in told.text  # type: ignore[attr-defined]
        assert why_closed(client, mine) == SAID["visitor"][2]
        with connected(client, *[other] * 4):
            told = load(client)
            assert told.status_code == 429 and "Your network has many tabs" in told.text  # type: ignore[attr-defined]
            assert why_closed(client) == SAID["address"][2]


def test_so_many_visitors_of_one_address_are_there_and_not_more(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "VISITORS_AN_ADDRESS", 3)
    keys = [new_key() for _ in range(3)]
    with connected(client, *keys):
        assert load(client, new_key()).status_code == 429 and load(client, keys[0]).status_code == 200
        assert why_closed(client, new_key()) == SAID["address"][2]
        with connected(client, keys[0]):
            pass
    assert load(client, new_key()).status_code == 200


def test_a_full_room_can_share_one_address() -> None:
    """A page of the class has two sockets: Streamlit's, and that of the class."""
    everybody = 2 * (limits.STUDENTS + 1)
    assert everybody + OF_A_PAGE <= (1 - RESERVE) * limits.CONNECTIONS_AN_ADDRESS
    assert everybody + OF_A_PAGE <= (1 - RESERVE) * limits.CONNECTIONS and limits.STUDENTS < limits.VISITORS
    assert limits.STUDENTS < limits.VISITORS_AN_ADDRESS < limits.VISITORS


def test_a_request_makes_no_visitor(client: TestClient) -> None:
    before, key = VISITORS.counted(), new_key()
    for _ in range(3):
        assert load(client).status_code == load(client, key).status_code == 200
    assert VISITORS.counted() == before and VISITORS.find(key) is None


# -- uploads --


class Store:
    """A server that keeps uploads: `sessions` says whose session is whose."""

    def __init__(self, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
        self.files = MemoryUploadedFileManager("/_stcore/upload_file")
        self.sessions: dict[str, str] = {}
        self.read = 0
        route = Route("/_stcore/upload_file/{session}/{file}", self.take, methods=["PUT", "DELETE"])
        self.uploads = Uploads(Starlette(routes=[route]))
        monkeypatch.setattr(uploads, "_files", lambda: self.files)
        monkeypatch.setattr(uploads, "_owner", self.sessions.get)
        monkeypatch.setattr(uploads, "time", SimpleNamespace(monotonic=clock))
        self.client = TestClient(self.uploads)

    async def take(self, request: Request) -> Response:
        data = await request.body()
        self.read += len(data)
        session, file = request.path_params["session"], request.path_params["file"]
        self.files.add_file(session, UploadedFileRec(file, "name", "text/plain", data))
        return Response(status_code=204)

    def put(self, session: str, file: str, n_bytes: int, key: str, *, chunked: bool = False) -> int:
        """The status of the answer."""
        data = iter([b"x" * 100_000] * (n_bytes // 100_000)) if chunked else b"x" * n_bytes
        headers = {"cookie": f"{COOKIE}={key}"}
        return self.client.put(f"/_stcore/upload_file/{session}/{file}", content=data, headers=headers).status_code

    def kept(self) -> set[str]:
        return {file for files in self.files.file_storage.values() for file in files}


@pytest.fixture
def store(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setattr(limits, "UPLOADS_A_VISITOR_MB", 2)
    monkeypatch.setattr(limits, "UPLOADS_MB", 3)
    return Store(clock, monkeypatch)


def test_a_file_comes_only_into_a_session_of_ones_own(store: Store) -> None:
    mine, other = new_key(), new_key()
    store.sessions |= {"s1": mine, "s2": other, "s3": "s3"}
    assert store.put("s1", "a", 10, mine) == 204
    assert store.put("s2", "b", 10, mine) == 403 and store.put("nowhere", "c", 10, mine) == 403
    assert store.put("s3", "d", 10, "no cookie") == 204, "a browser that takes no cookie has its session alone"
    assert store.client.delete("/_stcore/upload_file/s1/a", headers={"cookie": f"{COOKIE}={other}"}).status_code == 403
    assert store.kept() == {"a", "d"} and store.read == 20


def test_what_is_too_much_is_refused_before_it_is_read(store: Store, clock: Clock) -> None:
    mine, other = new_key(), new_key()
    store.sessions |= {"s1": mine, "s2": mine, "s3": other}
    assert store.put("s1", "a", MB, mine) == 204
    assert store.put("s2", "b", 2 * MB, mine) == 413, "both of the visitor's sessions count"
    assert store.put("s2", "c", MB, mine) == 204
    assert store.put("s3", "d", 2 * MB, other) == 413, "of all visitors"
    assert store.put("s3", "e", 100_000, other, chunked=True) == 411, "a browser says how long a file is"
    assert store.put("s3", "e", MB, other) == 204
    assert store.kept() == {"a", "c", "e"} and store.read == 3 * MB == store.uploads.held().total()
    clock.s += READ_S + 1
    assert store.put("s3", "f", MB, other) == 204, "files that no page has taken out make room"
    assert store.kept() == {"f"}


def test_a_thousand_empty_files_are_not_for_nothing(store: Store) -> None:
    """The name of a file comes with the request, and has up to 64 kB: many refused requests would fill the memory."""
    mine = new_key()
    store.sessions["s1"] = mine
    assert store.put("s1", "a" * 1_000, 3 * MB, mine) == 413
    assert store.put("s1", "b" * 1_000, 10, mine) == 204
    assert store.uploads.held().total() == SMALLEST and not store.uploads._coming and len(store.uploads._came) == 1
    store.files.add_file("s1", UploadedFileRec("c" * 20_000, "name", "text/plain", b""))
    assert store.uploads.held().total() == SMALLEST + 20_004, "a long name counts as what it takes"
