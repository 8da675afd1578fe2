"""The settings with which the server runs, as it tells them to a browser."""

from __future__ import annotations

import http.client
import json
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page
from streamlit import config
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.e2e.browser import Server
from tokviz.ui.server import limits
from tokviz.ui.server.headers import of_all


def test_the_server_is_closed_by_default(server: Server, page: Page) -> None:
    """What Streamlit tells the browser at the start of a session, and what its answers say."""
    told: list[bytes] = []
    page.on(
        "websocket",
        lambda socket: socket.on("framereceived", lambda data: told.append(data)) if "_stcore" in socket.url else None,
    )
    page.goto("/")
    page.get_by_role("textbox", name="Text", exact=True).wait_for()
    sessions = [message.new_session for message in map(ForwardMsg.FromString, told) if message.HasField("new_session")]
    assert sessions
    start = sessions[0].config
    assert not start.gather_usage_stats
    assert start.toolbar_mode == start.ToolbarMode.VIEWER
    answer = ask(server, "/_stcore/host-config")
    assert json.loads(answer.read())["allowedOrigins"] == []
    for name, value in of_all().items():
        assert answer.getheader(name) == value
    assert ask(server, "/_stcore/metrics").status == 404
    assert ask(server, "/", Host="evil.example").status == 400
    log = server.log.read_text()
    assert f"tokviz is at {server.url}" in log and "external IP" not in log and "WARNING" not in log


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("browser.gatherUsageStats", False),
        ("client.allowedOrigins", []),
        ("client.showErrorDetails", "none"),
        ("global.developmentMode", False),
        ("logger.hideWelcomeMessage", True),
        ("server.address", "127.0.0.1"),
        ("server.enableAgentApi", False),
        ("server.enableCORS", True),
        ("server.enableStaticServing", False),
        ("server.enableXsrfProtection", True),
        ("server.maxUploadSize", limits.FILE_MB),
        ("server.scriptHealthCheckEnabled", False),
    ],
)
def test_a_setting_that_keeps_the_server_closed(setting: str, value: object) -> None:
    assert config.get_option(setting) == value


def ask(server: Server, path: str, **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=60)
    connection.request("GET", path, headers=headers)
    return connection.getresponse()
