"""Short pages that the server sends in place of the app: why it does not serve a request, and what helps."""

from __future__ import annotations

from html import escape

from starlette.responses import HTMLResponse, PlainTextResponse, Response

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
{again}<title>{title} · tokviz</title>
<style>
  :root {{ color-scheme: light dark; --back: #fff; --card: #f5f6f7; --text: #16181d; --quiet: #555b66;
           --line: #2d60cf }}
  @media (prefers-color-scheme: dark) {{
    :root {{ --back: #14161a; --card: #1d2026; --text: #eceef2; --quiet: #a7aeba; --line: #81aaf7 }}
  }}
  body {{ margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--back); color: var(--text);
         font: 1rem/1.55 "Source Sans", system-ui, sans-serif }}
  main {{ box-sizing: border-box; width: min(34rem, 100vw - 2rem); padding: 1.75rem 2rem; border-radius: 6px;
         background: var(--card); border-left: 4px solid var(--line); overflow-wrap: anywhere }}
  h1 {{ margin: 0 0 .5rem; font-size: 1.5rem; font-weight: 600; line-height: 1.25 }}
  p {{ margin: .5rem 0 0 }}
  p + p {{ color: var(--quiet) }}
  code {{ font-family: "Source Code Pro", ui-monospace, monospace; font-size: .9375rem }}
</style>
<main>
<h1>{title}</h1>
{text}
</main>
"""


def page(status: int, title: str, *text: str, again_s: int | None = None) -> Response:
    """A page with a title and paragraphs. again_s: after so many seconds the browser asks again by itself."""
    again = f'<meta http-equiv="refresh" content="{again_s}">\n' if again_s else ""
    paragraphs = "\n".join(f"<p>{escape(words)}</p>" for words in text)
    headers = {"cache-control": "no-store"} | ({"retry-after": str(again_s)} if again_s else {})
    return HTMLResponse(_PAGE.format(again=again, title=escape(title), text=paragraphs), status, headers)


def sentence(status: int, words: str) -> Response:
    """The same as a line of text, for what is not a page."""
    return PlainTextResponse(words + "\n", status, {"cache-control": "no-store"})
