"""What one visitor can do to all others: each of these goes on until it is cancelled, and notes what it was told."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import secrets
from collections.abc import Awaitable, Callable, Iterable
from typing import Any
from urllib.parse import urlsplit

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from websockets.asyncio.client import ClientConnection

from tests.load.classroom import seated
from tests.load.page import opened
from tests.load.person import PATIENCE_S, Heard, Person, Wrong
from tests.load.training import UPLOADER
from tokviz.ui.server.cookie import COOKIE, new_key
from tokviz.ui.server.readable import MESSAGE_BYTES

RUNS_AWAY = r"(?:a|aa)+$|[\s\S]"  # on RUNAWAY it would take longer than the universe is old
RUNAWAY = "a" * 60 + "!"
MILLION = "so it is " * 111_111
SETTINGS = {"pattern": "custom", "custom": RUNS_AWAY, "vocab_size": 300, "special": "", "tie": "first", "min_count": 1}
CHOICE: dict[str, Any] = {
    "search": r"((?:\w|\w\w)+)+$",
    "by": "pattern",
    "kind": "",
    "length": 0,
    "script": "",
    "use": "any",
    "odd": "",
    "sort": "id",
    "down": False,
}
BIG, KEPT = (
    (MILLION * 100).encode()[:99_000_000],
    MILLION.encode() * 20,
)  # bytes; the second fits into what one may keep
WAYS = (  # to attack: methods of `Attacker`
    *("runs_away_live", "runs_away_in_training", "trains_much", "opens_model_files", "never_reads"),
    *("uploads_unasked", "floods", "million_characters", "huge_fields", "connects", "searches", "slow_request"),
    *("comes_anew", "joins_falsely", "fills_a_room", "opens_rooms", "asks_for_runs", "beats", "sends_states"),
)
NEWCOMERS, AT_ONCE = 520, 20  # visitors that one person pretends to be, and how many of them come together
PAUSE_S = 0.5  # after an attempt that was refused
_ERROR = re.compile(rb'"error": ?("(?:[^"\\]|\\.)*")')


def attack(url: str, visitors: int, seconds: float, ways: list[str], told: Any) -> None:
    """Attack for so long, in a process of its own, which lets others go first. told: gets (done, told) at the end."""
    os.nice(19)

    async def all_of_it() -> Attacker:
        attacker = Attacker(url, Heard(), visitors)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await attacker.arrive()
                await asyncio.gather(*attacker.all_at_once(ways))
        return attacker

    attacker = asyncio.run(all_of_it())
    told.put((attacker.done, attacker.told))


class Attacker:
    """One hostile person. told: what they were told -> how often. cookies: how many visitors they pretend to be."""

    def __init__(self, url: str, heard: Heard, visitors: int, address: str = "127.0.0.2") -> None:
        self.url, self.heard, self.address = url, heard, address
        self.visitors = visitors
        self.people: list[Person] = []
        self.told: dict[str, int] = {}
        self.done: dict[str, int] = {}

    async def arrive(self) -> None:
        """Get the cookies, and make the visitors by loading a page with each."""
        for _ in range(self.visitors):
            person = Person(self.url, 500 + len(self.people), self.heard, self.address)
            try:
                await person.arrive()
                async with opened(person, ""):
                    self.people.append(person)
            except Wrong as wrong:
                self.hear(str(wrong))
                break

    def hear(self, words: str) -> None:
        """The attacker was told this."""
        self.told[words[:150]] = self.told.get(words[:150], 0) + 1

    def all_at_once(self, ways: list[str]) -> list[asyncio.Task[None]]:
        """All these ways to attack, for each visitor, until it is cancelled."""
        return [
            asyncio.create_task(self.over_and_over(getattr(self, way), person))
            for person in self.people
            for way in ways
        ]

    async def over_and_over(self, way: Callable[[Person], Awaitable[None]], person: Person) -> None:
        """Do one thing again and again."""
        while True:
            try:
                await way(person)
                self.done[way.__name__] = self.done.get(way.__name__, 0) + 1
            except Wrong as wrong:
                self.hear(f"{way.__name__}: {wrong}")
            except (OSError, websockets.WebSocketException, EOFError) as fault:
                self.hear(f"{way.__name__}: {type(fault).__name__} {fault}")
            except (TimeoutError, ValueError, IndexError, KeyError) as fault:
                self.hear(f"{way.__name__}: no answer that makes sense ({type(fault).__name__})")
            await asyncio.sleep(PAUSE_S)

    async def _listen(self, person: Person, socket: ClientConnection, seconds: float) -> None:
        """Read what comes for so long."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while True:
                    said = await person.hear(socket)
                    found = _ERROR.search(said[:5_000])
                    if found:
                        self.hear(json.loads(found[1]))

    # -- what they do --

    async def runs_away_live(self, person: Person) -> None:
        """An own tokenizer whose pattern runs away, on the live socket."""
        async with opened(person, "train") as page:
            await page.set("button_group", "train.way", string_array_value=["Write"])
            async with person.socket("/tokviz/ask") as socket:
                asked = {"view": secrets.token_hex(8), "text": "so aaaa", "settings": {**SETTINGS, "custom": RUNS_AWAY}}
                await socket.send(json.dumps({"n": 1, "ask": "train.keep", **asked, "replay": False}))
                await self._listen(person, socket, 3)
        async with opened(person, "") as page:
            bench = page.component("tokens.workbench") or {"view": "x", "blocks": []}
            keys = [block["key"] for block in bench["blocks"] if block["key"].startswith("mine")] or ["mine1"]
            async with person.socket("/tokviz/live") as socket:
                hello = {"view": bench["view"], "keys": keys[:1], "specials": "text", "length": None, "sum": None}
                await socket.send(json.dumps(hello))
                for v in range(1, 50):
                    await socket.send(json.dumps({"v": v, "from": 0, "to": 0, "insert": RUNAWAY}))
                await self._listen(person, socket, 10)

    async def runs_away_in_training(self, person: Person) -> None:
        """A pattern that runs away, on the corpus that is written."""
        async with person.socket("/tokviz/ask") as socket:
            asked = {"view": secrets.token_hex(8), "text": RUNAWAY, "settings": SETTINGS, "step": None}
            for n in range(1, 50):
                await socket.send(json.dumps({"n": n, "ask": "train.written", **asked}))
            await self._listen(person, socket, 10)

    async def trains_much(self, person: Person) -> None:
        """Trainings of 100 MB, as many as the page lets one begin."""
        async with opened(person, "train") as page:
            await page.upload(UPLOADER, "big.txt", BIG)
            await page.upload(UPLOADER, "kept.txt", KEPT)
            for _ in range(5):
                button = page.widget("button", "**Train**")
                if button is None or button.disabled:
                    self.hear("trains_much: the page offers no training")
                    break
                await page.press("**Train**")
                await asyncio.sleep(1)

    async def opens_model_files(self, person: Person) -> None:
        """A model file in which each merge doubles a token."""
        merges = [["a", "a"]] + [["a" * 2**n] * 2 for n in range(1, 26)]
        lines = "\n".join(f"{left} {right}" for left, right in merges[:20])
        vocabulary = {chr(33 + n): n for n in range(90)} | {"a" * 2 ** (n + 1): 90 + n for n in range(20)}
        made = json.dumps({"model": {"type": "BPE", "vocab": vocabulary, "merges": lines.split("\n")}})
        async with opened(person, "library") as page:
            uploader = next(page.drawn("file_uploader"), None)
            if uploader is None:
                raise Wrong("The library takes no files here.")
            await page.upload(uploader.label, "tokenizer.json", made.encode())

    async def never_reads(self, person: Person) -> None:
        """Ask for much, and read nothing of it."""
        async with person.socket("/tokviz/live") as socket:
            socket.transport.pause_reading()
            hello = {"view": "v", "keys": ["gpt2", "o200k_base"], "specials": "text", "length": None, "sum": None}
            await socket.send(json.dumps(hello))
            v, text = 0, MILLION[:200_000]
            async with asyncio.timeout(60):
                while True:
                    v += 1
                    stop = 0 if v == 1 else len(text)
                    await socket.send(json.dumps({"v": v, "from": 0, "to": stop, "insert": text}))

    async def uploads_unasked(self, person: Person) -> None:
        """Uploads under names that no page was given."""
        async with opened(person, "train") as page:
            for _ in range(10):
                status, _, words = await person.request(
                    "PUT",
                    f"/_stcore/upload_file/{page.session}/{secrets.token_hex(16)}",
                    b'--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n'
                    + bytes(20_000_000)
                    + b"\r\n--x--\r\n",
                    Content_Type="multipart/form-data; boundary=x",
                    X_Xsrftoken=person.cookies.get("_streamlit_xsrf", ""),
                )
                if status >= 400:
                    self.hear(f"uploads_unasked: {status} {words[:100].decode('utf-8', 'replace')}")
                    return

    async def floods(self, person: Person) -> None:
        """As many messages as go out."""
        async with person.socket("/tokviz/live") as socket:
            hello = {"view": "v", "keys": ["gpt2"], "specials": "text", "length": None, "sum": None}
            await socket.send(json.dumps(hello))
            reading = asyncio.create_task(self._listen(person, socket, 30))
            try:
                for v in range(1, 20_000):
                    await socket.send(json.dumps({"v": v, "from": 0, "to": 0, "insert": "x"}))
                    await asyncio.sleep(0.0005)  # this process has to go on too
            finally:
                await reading

    async def million_characters(self, person: Person) -> None:
        """Ten sockets with eight texts of a million characters each."""

        async def one() -> None:
            async with person.socket("/tokviz/live") as socket:
                keys = ["gpt2", "cl100k_base", "o200k_base"] * 2 + ["gpt2", "cl100k_base"]
                hello = {"view": "v", "keys": keys, "specials": "text", "length": None, "sum": None}
                await socket.send(json.dumps(hello))
                await socket.send(json.dumps({"v": 1, "from": 0, "to": 0, "insert": MILLION}))
                await self._listen(person, socket, 30)

        await self._all(one() for _ in range(10))

    async def huge_fields(self, person: Person) -> None:
        """Fields with a megabyte in them."""
        async with opened(person, "train") as page:
            await page.type_in("Special tokens, one per line", "<|x|>\n" * 150_000)
            await page.set("selectbox", "train.settings.pattern", string_value="custom")
            await page.type_in("Your split pattern, a regular expression", "(a|b)" * 200_000)

    async def connects(self, person: Person) -> None:
        """Hundreds of connections."""
        async with contextlib.AsyncExitStack() as stack:
            sockets = [
                await stack.enter_async_context(person.socket("/_stcore/stream", "streamlit")) for _ in range(300)
            ]
            await asyncio.sleep(10)
            for socket in sockets:
                if socket.close_code is not None:
                    self.hear(f"connects: {socket.close_code} {socket.close_reason}")

    async def searches(self, person: Person) -> None:
        """Searches with an expression that runs away, on Vocabulary."""
        async with person.socket("/tokviz/ask") as socket:
            for n in range(1, 20):
                search = {**CHOICE, "length": n}
                asks = {"n": n, "ask": "vocabulary.list", "of": "o200k_base", "choice": search, "token": None}
                await socket.send(json.dumps(asks))
            await self._listen(person, socket, 20)

    async def comes_anew(self, person: Person) -> None:
        """Page after page, each under a new cookie and left open, so that there is room for nobody else's work."""
        async with contextlib.AsyncExitStack() as stack:

            async def come() -> None:
                another = Person(self.url, 600, self.heard, self.address)
                await another.arrive()
                page = await stack.enter_async_context(opened(another, ""))
                await page.run()  # so they have done something

            for _ in range(NEWCOMERS // AT_ONCE):
                await self._all(come() for _ in range(AT_ONCE))

    async def _all(self, tries: Iterable[Awaitable[None]]) -> None:
        """Do all this at once, and note what goes wrong."""
        for end in await asyncio.gather(*tries, return_exceptions=True):
            if isinstance(end, Exception):
                self.hear(f"{type(end).__name__}: {end}")

    async def joins_falsely(self, person: Person) -> None:
        """Wrong codes for a class, under a new cookie each time, which are to slow the others of the network."""
        for _ in range(100):
            another = Person(self.url, 700, self.heard, self.address)
            another.cookies = {COOKIE: new_key()}
            async with another.socket("/tokviz/class") as socket:
                await socket.send(json.dumps({"role": "student"}))
                await socket.send(json.dumps({"join": "ZZZZ"}))
                await self._listen(another, socket, 0.5)

    async def fills_a_room(self, person: Person) -> None:
        """299 false students, each under a cookie of their own, in the room of a class."""
        async with opened(person, "class") as page, seated(person, "teacher") as teacher:
            if page.widget("button", "class.open"):
                await page.press("class.open")
            while not teacher.state.get("code"):
                await teacher.next_state(PATIENCE_S)
            async with contextlib.AsyncExitStack() as stack:
                for _ in range(299):
                    student = Person(self.url, 701, self.heard, self.address)
                    student.cookies = {COOKIE: new_key()}
                    seat = await stack.enter_async_context(seated(student, "student"))
                    await seat.tell(join=teacher.state["code"])
            await teacher.tell(end=True)

    async def opens_rooms(self, person: Person) -> None:
        """Twenty rooms, each of a teacher with a cookie of their own, so that no class of the network finds one."""

        async def teach() -> None:
            teacher = Person(self.url, 702, self.heard, self.address)
            await teacher.arrive()
            async with opened(teacher, "class") as page:
                await page.press("class.open")

        await self._all(teach() for _ in range(20))

    async def asks_for_runs(self, person: Person) -> None:
        """As many runs of a page as go out over Streamlit's own socket."""
        message = BackMsg()
        message.rerun_script.page_script_hash = "0" * 32
        message.rerun_script.context_info.url = f"{self.url}/train"
        await self._over_streamlits(person, message.SerializeToString(), 20_000)

    async def beats(self, person: Person) -> None:
        """Messages of two bytes, which ask for nothing."""
        await self._over_streamlits(person, BackMsg(app_heartbeat=True).SerializeToString(), 200_000)

    async def sends_states(self, person: Person) -> None:
        """Messages with as many values of widgets as there is room for. Each becomes an object."""
        for n_bytes in (24_000_000, MESSAGE_BYTES - 100):
            message = bytes.fromhex("0a00") * (n_bytes // 2)  # `widgets`, an empty one
            for field in ("widget_states", "rerun_script"):
                holder = BackMsg.DESCRIPTOR if field == "rerun_script" else ClientState.DESCRIPTOR
                head = _varint(holder.fields_by_name[field].number << 3 | 2)
                message = head + _varint(len(message)) + message
            await self._over_streamlits(person, message, 7)

    async def _over_streamlits(self, person: Person, message: bytes, times: int) -> None:
        """Send a message again and again over the socket of a page."""
        async with opened(person, ""), person.socket("/_stcore/stream", "streamlit") as socket:
            reading = asyncio.create_task(self._listen(person, socket, 60))
            try:
                for n in range(times):
                    await socket.send(message)
                    if n % 100 == 0:
                        await asyncio.sleep(0)  # this process has to go on too
            finally:
                reading.cancel()
                await asyncio.gather(reading, return_exceptions=True)

    async def slow_request(self, person: Person) -> None:
        """A hundred requests, of which a byte comes each second."""

        async def one() -> None:
            host = urlsplit(self.url)
            _, writer = await asyncio.open_connection(host.hostname, host.port, local_addr=(self.address, 0))
            try:
                for letter in b"GET / HTTP/1.1\r\nHost: x\r\nCookie: ":
                    writer.write(bytes([letter]))
                    await writer.drain()
                    await asyncio.sleep(1)
            finally:
                writer.close()

        await asyncio.gather(*(one() for _ in range(100)), return_exceptions=True)


def _varint(number: int) -> bytes:
    low, rest = number & 127, number >> 7
    return bytes([low | 128]) + _varint(rest) if rest else bytes([low])
