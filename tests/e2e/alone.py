"""A component alone on a page of the tests, with a socket that the test itself speaks for: it needs no server."""

from __future__ import annotations

from playwright.sync_api import Browser, Page

from tests.e2e.browser import bare_page

ADDRESS = "http://classroom.test/"
SHEET = '<!doctype html><html lang="en"><title>Alone</title><main id="place"></main>'

# mount(data) puts the component up, anew each time, as a reload does. draw(data) has it hear other data, as a run of
# the page does. told: what it told Python. answer(message): the test's own; what the socket answers to a message.
# bring(message): the socket says something by itself. Frames come at once.
MOUNT = """async ([script, style]) => {
  window.requestAnimationFrame = draw => setTimeout(draw);
  window.WebSocket = class extends EventTarget {
    static OPEN = 1;
    readyState = 1;
    constructor() {
      super();
      window.bring = message =>
        this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(message) }));
      setTimeout(() => this.dispatchEvent(new Event("open")));
    }
    close() {}
    send(message) {
      const answer = window.answer?.(JSON.parse(message));
      if (answer) setTimeout(() => bring(answer));
    }
  };
  const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const { default: component } = await import(address);
  let close = () => {};
  window.mount = data => {
    close();
    window.told = [];
    const root = document.createElement("div").attachShadow({ mode: "open" });
    place.replaceChildren(root.host);
    root.innerHTML = `<style>${style}</style>`;
    const tell = (name, value) => told.push([name, value]);
    window.root = root;
    window.draw = data => component({ data, parentElement: root, setStateValue: tell, setTriggerValue: tell });
    close = draw(data);
  };
}"""


def alone(browser: Browser, script: str, style: str = "") -> Page:
    """A page with a component to come."""
    page = bare_page(browser, viewport={"width": 1280, "height": 800})
    page.route(ADDRESS, lambda route: route.fulfill(body=SHEET, content_type="text/html; charset=utf-8"))
    page.goto(ADDRESS)
    page.evaluate(MOUNT, [script, style])
    return page
