"""Records what a browser and the server say to each other: one conversation for each socket, and one for each page that
only asks.

    python -m tests.golden.conversations [name ...]

It drives the pages in a real browser and writes conversations/NAME.jsonl: a line for each message, in order,
{"sent": ...} by the browser or {"heard": ...} from the server. A test sends the browser's side again and compares the
answers. So a change of a protocol shows in one of these files, and in no other.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, WebSocket, expect, sync_playwright

from tests.e2e.browser import launch, serving, settled, visiting
from tests.e2e.typing import area

FOLDER = Path(__file__).parent / "conversations"
WHOLE = 4_000  # characters of an answer that is kept as it is; of a longer one its length and sum are kept
CODE = re.compile(r'"code":\s*"\w+"')  # of a room, another one each time

Line = dict[str, Any]


def heard(message: str | bytes) -> Line:
    """The line for a message from the server, without what differs from one time to the next.

    >>> heard('{"state": {"code": "K7QF"}}')
    {'heard': {'state': {'code': 'CODE'}}}
    """
    if isinstance(message, str):
        message = CODE.sub('"code": "CODE"', message)
        if len(message) <= WHOLE:
            return {"heard": json.loads(message)}
        raw = message.encode()
    else:
        raw = message
        if len(message) <= WHOLE:
            return {"heard": {"base64": base64.b64encode(message).decode()}}
    return {"heard": {"bytes": len(raw), "sha256": hashlib.sha256(raw).hexdigest()}}


def recorded(name: str) -> list[Line]:
    """The lines of the conversation with this name."""
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines()]


def socket_of(name: str) -> str:
    """The socket of a conversation: the pages that only ask have one together."""
    return name if name in ("live", "class") else "ask"


class Recorder:
    """Keeps what is said over the newest connection of a page with one socket.

    page: not yet at an address. socket: such as "live".
    """

    def __init__(self, page: Page, socket: str) -> None:
        self.page, self.socket, self.lines = page, socket, list[Line]()
        page.on("websocket", self._listen)

    def _listen(self, socket: WebSocket) -> None:
        if socket.url.endswith(f"/tokviz/{self.socket}"):
            lines = self.lines = []
            socket.on("framesent", lambda message: lines.append({"sent": json.loads(message)}))
            socket.on("framereceived", lambda message: lines.append(heard(message)))

    def rest(self) -> None:
        """Wait until nothing was said for half a second, so that the next message is the answer to what comes now.

        A question on the socket of questions is waited for, also where the answer takes longer.
        """
        n = -1
        while n < len(self.lines) or (self.socket == "ask" and self._waits()):
            n = len(self.lines)
            self.page.wait_for_timeout(500)

    def _waits(self) -> bool:
        return sum("sent" in line for line in self.lines) > sum("heard" in line for line in self.lines)


def live(page: Page, rest: Callable[[], None]) -> None:
    page.goto("/")
    settled(page)
    rest()
    area(page).press("ControlOrMeta+End")
    for text in (" x", "नमस्ते 👍", "<b>"):
        page.keyboard.insert_text(text)
        rest()
    page.keyboard.press("Backspace")
    rest()


def train(page: Page, rest: Callable[[], None]) -> None:
    page.goto("/train?v=1&write=1")
    settled(page)
    rest()
    page.get_by_role("textbox", name="Your text").press("ControlOrMeta+End")
    page.keyboard.insert_text("the wind")
    rest()
    page.get_by_label("Vocabulary size").fill("268")
    page.keyboard.press("Enter")
    rest()
    page.get_by_role("listbox", name="Merges in order").press("End")
    rest()
    page.get_by_role("button", name="Keep as").click()
    rest()


def replay(page: Page, rest: Callable[[], None]) -> None:
    page.goto("/replay")
    settled(page)
    rest()
    slider = page.locator('.player input[type="range"]')
    for step in ("60", "61", "900"):
        slider.fill(step)
        rest()
    page.get_by_text("Your own text", exact=True).click()
    page.get_by_label("Your own text").fill("aab नमस्ते")
    rest()


def vocabulary(page: Page, rest: Callable[[], None]) -> None:
    page.goto("/vocabulary")
    settled(page)
    rest()
    page.get_by_role("searchbox").fill("every")
    rest()
    page.get_by_role("listbox", name="Tokens").press("ArrowDown")
    page.keyboard.press("Enter")
    rest()


def learn(page: Page, rest: Callable[[], None]) -> None:
    page.goto("/learn?v=1&step=training-loop-2")
    page.get_by_role("heading", level=1).wait_for()
    rest()
    page.locator(".option").last.click()
    rest()
    page.get_by_role("button", name="Next", exact=True).click()
    rest()


def of_class(page: Page, rest: Callable[[], None]) -> None:
    """The teacher's side, from a room that is open."""
    page.goto("/class")
    settled(page).get_by_role("button", name="Open a room").click()
    expect(page.locator(".join-words .room-code")).to_be_visible()
    settled(page).reload()
    settled(page)
    rest()
    for key in "qgvnq":
        page.keyboard.press(key)
        rest()


DRIVEN: dict[str, Callable[[Page, Callable[[], None]], None]] = {
    "live": live,
    "train": train,
    "replay": replay,
    "vocabulary": vocabulary,
    "learn": learn,
    "class": of_class,
}


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with serving() as server, sync_playwright() as playwright:
        browser = launch(playwright)
        for name in sys.argv[1:] or DRIVEN:
            for _ in range(2):  # the second one counts: by then the server knows what it computes once
                with visiting(browser, server) as page:
                    recorder = Recorder(page, socket_of(name))
                    DRIVEN[name](page, recorder.rest)
            lines = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in recorder.lines)
            (FOLDER / f"{name}.jsonl").write_text(lines, "utf-8")
            print(f"{name}: {len(recorder.lines)} messages", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
