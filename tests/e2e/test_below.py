"""The app below a path of a server, as Streamlit serves it and behind nginx: each page, and all that a page loads."""

from __future__ import annotations

import contextlib
import re
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from tests.e2e.browser import Server, Window, eventually, serving, settled, visiting
from tests.e2e.test_journey import at_step, paste, upload
from tests.e2e.typing import area
from tests.waiting import PATIENCE_S

PATH = "/tools/tokviz"
# README's lines for nginx, in a server that another app has at its root, and whose cookies are not tokviz's
NGINX = """
daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/errors;
events {{}}
http {{
  access_log off;
  {bodies}
  server {{
    listen 127.0.0.1:{port};
    client_max_body_size 101m;
    location / {{ return 404; }}
    location {path}/ {{
        proxy_pass {server};
        proxy_http_version 1.1;
        proxy_set_header Host $http_host;
        proxy_set_header Upgrade $http_upgrade;
        proxy_set_header Connection "upgrade";
        proxy_set_header X-Forwarded-For $remote_addr;
        proxy_set_header X-Forwarded-Proto $scheme;
        proxy_read_timeout 1h;
    }}
  }}
}}
"""


@contextlib.contextmanager
def nginx(server: Server) -> Iterator[Server]:
    """The same server behind nginx, on a port of its own."""
    program = shutil.which("nginx") or pytest.fail("There is no nginx: apt-get install nginx-light.", pytrace=False)
    with tempfile.TemporaryDirectory() as folder, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        bodies = " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
        behind = urlsplit(server.url)
        config = Path(folder, "nginx.conf")
        config.write_text(
            NGINX.format(folder=folder, bodies=bodies, port=port, path=PATH, server=f"http://{behind.netloc}")
        )
        process = subprocess.Popen([program, "-c", str(config), "-e", f"{folder}/errors"])
        try:
            eventually(lambda: _answers(port), True)
            yield replace(server, url=f"http://127.0.0.1:{port}{PATH}", windows={})
        finally:
            process.terminate()
            process.wait(PATIENCE_S)


def _answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 5):
        return True
    return False


@pytest.fixture(scope="module", params=["streamlit", pytest.param("nginx", marks=pytest.mark.long)])
def below(request: pytest.FixtureRequest) -> Iterator[Server]:
    with (
        serving(below=PATH) as server,
        nginx(server) if request.param == "nginx" else contextlib.nullcontext(server) as it,
    ):
        yield it


@pytest.fixture(scope="module")
def room(browser: Browser, below: Server) -> Iterator[Window]:
    """A window whose visits fail when a page asks for anything that is not there, or says an error."""
    window = Window(browser, below, base_url=f"{below.url}/")

    def on_request(request: Request) -> None:
        if request.url.startswith("http") and not f"{request.url}/".startswith(f"{below.url}/"):
            window.faults.append(f"not below the path: {request.url}")

    window.context.on("request", on_request)
    yield window
    window.context.close()


@pytest.fixture
def inside(room: Window) -> Iterator[Page]:
    with room.visit() as page:
        yield page


def test_tokens_and_the_links_between_pages(inside: Page, below: Server) -> None:
    inside.goto("./")
    settled(inside)
    paste(inside, "Hello below a path")
    inside.get_by_role("link", name="Compare").click()
    expect(inside).to_have_url(f"{below.url}/compare")
    settled(inside)
    inside.go_back()
    expect(inside).to_have_url(f"{below.url}/")
    inside.reload()
    settled(inside)
    expect(area(inside)).to_have_value("Hello below a path")
    cookies = [cookie for cookie in inside.context.cookies() if cookie["name"] == "tokviz"]
    assert [cookie["path"] for cookie in cookies] == [PATH]


def test_train_and_replay(inside: Page, below: Server) -> None:
    inside.goto("train")
    upload(settled(inside), "cats.txt", b"the cat sat on the mat, the cat sat again. " * 40)
    expect(inside.get_by_text("1,720 bytes · ")).to_be_visible()
    inside.get_by_role("button", name="Train", exact=True).click()
    replay = inside.get_by_role("button", name="Replay the merges")
    expect(replay).to_be_visible()
    with inside.expect_download() as download:
        inside.get_by_role("button", name="Save as a file").click()
    assert b'"format":"tokviz"' in download.value.path().read_bytes().replace(b": ", b":")
    replay.click()
    expect(inside).to_have_url(f"{below.url}/replay")
    at_step(settled(inside), 0)
    inside.locator(".player").focus()
    inside.keyboard.press("ArrowRight")
    at_step(inside, 1)
    expect(inside.locator(".spoken")).to_contain_text("Done, merge 1")  # said when the server is told of it
    inside.reload()
    at_step(settled(inside), 1)


def test_a_class(inside: Page, browser: Browser, below: Server) -> None:
    inside.goto("class")
    settled(inside).get_by_role("button", name="Open a room").click()
    code = inside.locator(".join-words .room-code")
    expect(code).to_be_visible()
    expect(inside.locator(".join-words")).to_contain_text(f"{PATH}/class")
    word = code.inner_text()
    with visiting(browser, below, base_url=f"{below.url}/") as student:
        student.goto(f"class?code={word}")
        expect(student.locator(".tokviz h1")).to_have_text("You are in")
        settled(inside).keyboard.press("q")
        student.get_by_role("button", name=re.compile("^A: ")).click()
        expect(inside.locator(".meter")).to_contain_text("1 of 1 have voted")


@pytest.mark.parametrize(
    ("asked", "leads"),
    [
        ("", "/"),
        ("/tokens", "/"),
        ("/token", "/nowhere?path=token"),
        *((f"/{name}",) * 2 for name in ("train", "replay", "vocabulary", "library", "learn")),
    ],
)
def test_each_address_as_the_first(inside: Page, below: Server, asked: str, leads: str) -> None:
    inside.goto(f"{below.url}{asked}")
    expect(inside).to_have_url(f"{below.url}{leads}")
    settled(inside)
    expect(inside.locator("h1").first).to_be_visible()
    assert inside.get_by_role("img", name="Logo").evaluate("logo => logo.decode().then(() => logo.naturalWidth)") > 0
