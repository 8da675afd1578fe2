"""A page without a browser: Streamlit's own socket, the elements that its runs draw, and the values of its widgets."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import websockets
from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection

from tests.load.person import PATIENCE_S, Person, Wrong
from tests.pages import of_kind

_BEFORE = re.compile("[0-9,]+ other pieces? of work comes? first")
RUN_OVER = ForwardMsg.FINISHED_SUCCESSFULLY


@contextlib.asynccontextmanager
async def opened(person: Person, path: str) -> AsyncIterator[Page]:
    """This page of the app, opened by this visitor and drawn; closed at the end."""
    async with person.socket("/_stcore/stream", "streamlit") as socket:
        page = Page(person, socket, path)
        reading = asyncio.create_task(page.read())
        try:
            await page.run()
            yield page
        finally:
            reading.cancel()
            page.stop_reruns()


class Page:
    """A page that is open. elements: what is drawn, by its place on the page. path: its address, without a slash."""

    def __init__(self, person: Person, socket: ClientConnection, path: str) -> None:
        self.person, self.socket, self.path = person, socket, path
        self.elements: dict[tuple[int, ...], tuple[int, Any]] = {}
        self.fragments: dict[str, str] = {}  # a button's id -> the part of the page that runs when it is pressed
        self.values: dict[str, WidgetState] = {}
        self.query = ""  # of its address, without the question mark
        self.session = ""
        self.hash = ""  # of the page's script
        self.pages: dict[str, str] = {}  # address -> hash
        self.runs, self.over, self.parts = 0, 0, 0  # full runs that began, that ended, and runs of parts that ended
        self.changed = asyncio.Event()
        self.closed = ""
        self.urls: Any = None
        self.known: dict[str, Any] = {}  # large messages, by hash, which are not sent again
        self.again: dict[str, asyncio.Task[None]] = {}  # fragment -> what asks for it again and again

    # -- what comes --

    async def read(self) -> None:
        """Read what the server sends until the page is closed."""
        try:
            async for message in self.socket:
                self._take(ForwardMsg.FromString(self.person.read(message)))
            self.closed = "by the server"
        except websockets.ConnectionClosed as closed:
            self.closed = f"{closed.rcvd.code} {closed.rcvd.reason}" if closed.rcvd else "broken"
        except Exception as fault:
            self.closed = f"this client failed: {fault!r}"
            raise
        finally:
            self.changed.set()

    def _take(self, said: ForwardMsg) -> None:
        kind = said.WhichOneof("type")
        if kind == "ref_hash":
            metadata, said = said.metadata, self.known[said.ref_hash]
            said.metadata.CopyFrom(metadata)
            kind = said.WhichOneof("type")
        elif said.metadata.cacheable:
            self.known[said.hash] = said
        match kind:
            case "new_session":
                self.session = said.new_session.initialize.session_id or self.session
                if not said.metadata.run.fragment_ids:
                    self.runs += 1
                    self.stop_reruns()
            case "delta":
                self._draw(tuple(said.metadata.delta_path), said.delta)
            case "navigation":
                self.pages = {page.url_pathname: page.page_script_hash for page in said.navigation.app_pages}
                self.hash = said.navigation.page_script_hash
            case "file_urls_response":
                self.urls = said.file_urls_response
            case "auto_rerun":
                rerun = said.auto_rerun
                self._stop_rerun(rerun.fragment_id)
                self.again[rerun.fragment_id] = asyncio.create_task(self._rerun(rerun.fragment_id, rerun.interval))
            case "script_finished":
                if said.script_finished == RUN_OVER:
                    self.over += 1
                    self.elements = {place: one for place, one in self.elements.items() if one[0] == self.runs}
                elif said.script_finished == ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY:
                    self.parts += 1
                elif said.script_finished == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
                    self.person.heard.error(f"/{self.path} does not compile")
        self.changed.set()

    def _draw(self, place: tuple[int, ...], change: Any) -> None:
        how = change.WhichOneof("type")
        if how not in ("add_block", "new_element"):  # a spinner, which leaves what is drawn
            return
        drawn = getattr(change, how)
        self.elements[place] = self.runs, drawn
        if how == "new_element" and drawn.WhichOneof("type") == "button":
            self.fragments[drawn.button.id] = change.fragment_id
        if how == "new_element":
            self._heed(drawn)
        if how == "new_element" and drawn.WhichOneof("type") == "exception":
            self.person.heard.error(f"An exception on /{self.path}: {drawn.exception.type}")

    def _heed(self, drawn: Any) -> None:
        """Note what the page says to its visitor: its notes, and how much work comes before theirs."""
        kind = drawn.WhichOneof("type")
        if kind == "bidi_component" and drawn.bidi_component.component_name in ("tokviz_blocks", "tokviz_note"):
            for said in of_kind("note", json.loads(drawn.bidi_component.json)):
                self.person.heard.say(f"/{self.path}: {said['what']} {said['way_out']}")
        elif kind == "markdown" and (found := _BEFORE.search(drawn.markdown.body)):
            self.person.heard.say(f"/{self.path}: {found[0]}")

    async def _rerun(self, fragment: str, seconds: float) -> None:
        """Ask for a fragment again and again, as the browser does."""
        while True:
            await asyncio.sleep(seconds)
            await self.send(fragment=fragment, automatic=True)

    def stop_reruns(self) -> None:
        """No fragment is asked for again."""
        for fragment in [*self.again]:
            self._stop_rerun(fragment)

    def _stop_rerun(self, fragment: str) -> None:
        if fragment in self.again:
            self.again.pop(fragment).cancel()

    async def until(self, holds: Callable[[], Any], what: str, seconds: float = PATIENCE_S) -> Any:
        """Wait until this holds; what it gave then. Raises Wrong after this many seconds. what: for the message."""
        try:
            async with asyncio.timeout(seconds):
                while not (found := holds()):
                    if self.closed:
                        raise Wrong(f"/{self.path} was closed: {self.closed}")
                    self.changed.clear()
                    await self.changed.wait()
        except TimeoutError:
            raise Wrong(f"/{self.path}: {what} did not come in {seconds:.0f} s.") from None
        return found

    # -- what is drawn --

    def drawn(self, kind: str) -> Iterator[Any]:
        """All elements of a kind, such as "button", and blocks, such as "expandable"."""
        for _, one in [*self.elements.values()]:
            if one.WhichOneof("type") == kind:
                yield getattr(one, kind)

    def widget(self, kind: str, label: str) -> Any | None:
        """The element of this kind with this label, or with this key of ours; None if it is not drawn."""
        return next(
            (one for one in self.drawn(kind) if label == getattr(one, "label", "") or one.id.endswith(f"-{label}")),
            None,
        )

    def component(self, key: str) -> dict[str, Any] | None:
        """The data of a component of ours; None if it is not drawn."""
        for one in self.drawn("bidi_component"):
            if one.id.endswith(f"-{key}"):
                found: dict[str, Any] = json.loads(one.json)[0]
                return found
        return None

    def component_like(self, beginning: str) -> dict[str, Any] | None:
        """The data of a component whose key begins so; None if none is drawn."""
        for one in self.drawn("bidi_component"):
            if one.id.split("-", 2)[-1].startswith(beginning):
                found: dict[str, Any] = json.loads(one.json)[0]
                return found
        return None

    def says(self, words: str) -> bool:
        """Whether a text on the page has these words."""
        for _, one in self.elements.values():
            kind = one.WhichOneof("type")
            if kind in ("markdown", "heading", "text") and words in getattr(one, kind).body:
                return True
        return False

    # -- what is done --

    async def send(self, *pressed: WidgetState, fragment: str = "", automatic: bool = False) -> None:
        """Ask for a run with the values of all widgets."""
        message = BackMsg()
        run = message.rerun_script
        run.fragment_id, run.is_auto_rerun = fragment, automatic
        run.page_script_hash = self.hash
        run.page_name = "" if self.hash else self.path
        run.query_string = self.query
        run.widget_states.widgets.extend([*self.values.values(), *pressed])
        run.cached_message_hashes.extend(self.known)
        run.context_info.url = f"{self.person.url}/{self.path}"
        with contextlib.suppress(websockets.ConnectionClosed):
            await self.socket.send(message.SerializeToString())

    async def run(self, *pressed: WidgetState, fragment: str = "") -> None:
        """Run the page, or a part of it, and wait until it is drawn. The time counts as a run of this page."""
        begun, over, runs, parts = time.perf_counter(), self.over, self.runs, self.parts
        await self.send(*pressed, fragment=fragment)

        def drawn() -> bool:
            return (self.over > over and self.runs > runs) or bool(fragment and self.parts > parts)

        await self.until(drawn, "the end of a run")
        self.person.heard.time(f"a run of /{self.path}", 1000 * (time.perf_counter() - begun))

    async def press(self, label: str) -> None:
        """Press the button with this label or key, once it is drawn and on."""
        button = await self.until(
            lambda: (one := self.widget("button", label)) and not one.disabled and one, f"the button {label}"
        )
        await self.run(WidgetState(id=button.id, trigger_value=True), fragment=self.fragments[button.id])

    async def set(self, kind: str, label: str, **value: Any) -> None:
        """Give a widget a value: set("number_input", "Vocabulary size", double_value=512)."""
        widget = await self.until(lambda: self.widget(kind, label), f"the field {label}")
        state = WidgetState(id=widget.id)
        for name, one in value.items():
            if isinstance(one, list):
                getattr(state, name).data.extend(one)
            else:
                setattr(state, name, one)
        self.values[widget.id] = state
        await self.run()

    async def type_in(self, label: str, text: str) -> None:
        """Type in the field of the kit with this label, and leave it."""

        def there() -> Any | None:
            drawn = [(one.id, json.loads(one.json)[0]) for one in self.drawn("bidi_component")]
            return next((id for id, data in drawn if data.get("label") == label and "heard" in data), None)

        id = await self.until(there, f"the field {label}")
        draft = {"id": uuid.uuid4().hex, "text": text}
        self.values[id] = WidgetState(id=id, json_value=json.dumps({"draft": draft}))
        await self.run()

    async def tell(self, key: str, event: str, value: Any) -> None:
        """Have the script of a component of ours say something once."""
        one = await self.until(
            lambda: next((one for one in self.drawn("bidi_component") if one.id.endswith(f"-{key}")), None), key
        )
        said = json.dumps([{"event": event, "value": value}])
        await self.run(WidgetState(id=_make_trigger_id(one.id, "events"), json_trigger_value=said))

    async def go(self, path: str) -> None:
        """Go to another page of the app, by its link in the navigation."""
        self.path, self.hash = path, self.pages[path]
        self.values.clear()
        await self.run()

    async def upload(self, label: str, name: str, data: bytes) -> None:
        """Upload a file through the uploader with this label, instead of any that it has."""
        uploader = await self.until(lambda: self.widget("file_uploader", label), f"the uploader {label}")
        message, asked = BackMsg(), uuid.uuid4().hex
        message.file_urls_request.request_id = asked
        message.file_urls_request.file_names.append(name)
        message.file_urls_request.session_id = self.session
        await self.socket.send(message.SerializeToString())
        [urls] = (
            await self.until(lambda: self.urls is not None and self.urls.response_id == asked and self.urls, "a URL")
        ).file_urls
        border = uuid.uuid4().hex
        head = f'--{border}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
        body = f"{head}Content-Type: text/plain\r\n\r\n".encode() + data + f"\r\n--{border}--\r\n".encode()
        status, _, words = await self.person.request(
            "PUT",
            urls.upload_url,
            body,
            Content_Type=f"multipart/form-data; boundary={border}",
            X_Xsrftoken=self.person.cookies.get("_streamlit_xsrf", ""),
        )
        if status != 204:
            raise Wrong(f"An upload was refused: {status} {words[:200].decode('utf-8', 'replace')}")
        state = WidgetState(id=uploader.id)
        info = state.file_uploader_state_value.uploaded_file_info.add()
        info.name, info.size, info.file_id = name, len(data), urls.file_id
        info.file_urls.CopyFrom(urls)
        self.values[uploader.id] = state
        await self.run()
