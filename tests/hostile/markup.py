"""Hostile texts for whoever parses HTML or CSS."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from tests.hostile.families import HOST, THERE, family


@family
def elements() -> Iterator[str]:
    """Elements that run a script or load something when a browser parses them."""
    for tag in ("script", "SCRIPT", "scr\x00ipt", "script/x", "script\t", "script\n", "svg:script", "x:script"):
        yield f"<{tag}>ran()</{tag}>"
    yield from (
        "<script>ran()", f"<script src={THERE}></script>", "<script type=module>ran()</script>",
        "<<script>ran()//<</script>", "<scr<script>ipt>ran()</scr</script>ipt>", "<svg><script>ran()</script></svg>",
        "<svg><script>ran&#40;&#41;</script></svg>", f"<svg><script href=data:,ran() /><image href={THERE} /></svg>",
        f"<svg><use href={THERE}#x /></svg>", "<svg><animate onbegin=ran() attributeName=x dur=1s>",
        "<svg><a href=javascript:ran()><text y=9>a</text></a></svg>",
        "<math><mtext><table><mglyph><style><img src onerror=ran()>", "<math href=javascript:ran()>a</math>",
        "<math><annotation-xml encoding=text/html><img src onerror=ran()></annotation-xml></math>",
        f"<img src={THERE}>", f"<img srcset='{THERE} 2x'>", f"<picture><source srcset={THERE}><img></picture>",
        f"<video poster={THERE}><track src={THERE}></video>", "<audio src onerror=ran()>",
        f"<iframe src={THERE}></iframe>", "<iframe srcdoc='<script>parent.ran()</script>'></iframe>",
        "<iframe src=javascript:parent.ran()></iframe>", f"<object data={THERE}></object>",
        "<object data=javascript:ran()></object>", f"<embed src={THERE}>", f"<link rel=stylesheet href={THERE}>",
        f"<link rel=prefetch href={THERE}>", f"<base href={THERE}/>",
        f"<meta http-equiv=refresh content='0;url={THERE}'>",
        "<meta http-equiv=refresh content='0;url=javascript:ran()'>",
        f"<form action={THERE}><button autofocus>a</button></form>",
        "<form><button formaction=javascript:ran()>a</button></form>", "<isindex type=image src=1 onerror=ran()>",
        f"<body background={THERE}>", f"<table background={THERE}><td background={THERE}>",
        "<template><img src onerror=ran()></template>", "<noscript><p title='</noscript><img src onerror=ran()>'>",
        "<noembed><img title='</noembed><img src onerror=ran()>'></noembed>",
        "<xmp><img title='</xmp><img src onerror=ran()>'>", "<plaintext>", "<!--><img src onerror=ran()>-->",
        "<!-- --!><img src onerror=ran()> -->", "<![CDATA[<img src onerror=ran()>]]>",
        "<?xml version='1.0'?><img src onerror=ran()>", f"<!DOCTYPE x [<!ENTITY y SYSTEM '{THERE}'>]><x>&y;</x>",
        "<%<img src onerror=ran()>%>", "<listing>&lt;img src onerror=ran()&gt;</listing>",
        "<select><option><style></option></select><img src onerror=ran()></style>",
        "<a id=document><a id=document name=cookie><form id=location><img name=body>",
        "<dialog open>a</dialog><details open><summary>b</summary></details>",
        "<marquee><blink><h1 style=font-size:999px>a</h1></blink></marquee>",
        "<slot></slot><portal></portal><custom-element></custom-element>", "&lt;script&gt;ran()&lt;/script&gt;",
        "&#60;img src onerror=ran()&#62;", "&amp;lt;b&amp;gt; &nbsp; &notit; &#x110000; &#0; &",
        "\\x3cscript\\x3eran()\\x3c/script\\x3e", "\\u003cscript\\u003eran()\\u003c/script\\u003e",
        "%3Cscript%3Eran()%3C/script%3E", "+ADw-script+AD4-ran()+ADw-/script+AD4-", "＜script＞ran()＜/script＞",
        "¼script¾ran()¼/script¾",
    )  # fmt: skip


@family
def ends_of_elements() -> Iterator[str]:
    """Ends of the elements that a text may stand in, and what comes after them."""
    tags = (
        "script",
        "style",
        "title",
        "textarea",
        "pre",
        "code",
        "span",
        "main",
        "body",
        "html",
        "iframe",
        "svg",
        "math",
    )
    for tag in tags:
        yield f"</{tag}><img src onerror=ran()>"
        yield f"</{tag.upper()}\n/x><script>ran()</script>"


@family
def handlers() -> Iterator[str]:
    """An attribute for each event that comes without a click, or with any key."""
    events = (
        "abort animationend animationstart beforeinput beforetoggle begin blur canplay click contextmenu copy cut "
        "DOMContentLoaded drag error focus focusin hashchange input keydown keyup load loadstart message mousemove "
        "mouseover pageshow paste play pointerenter pointerrawupdate popstate resize scroll scrollend "
        "securitypolicyviolation selectionchange toggle transitionend unload visibilitychange wheel"
    )
    tags = itertools.cycle(("img src=x", "svg", "details open", "input autofocus", "video src=x", "b tabindex=0"))
    for event, tag in zip(events.split(), tags, strict=False):
        yield f"<{tag} on{event}=ran()>"


@family
def attributes() -> Iterator[str]:
    """Ends of the attributes that a text may stand in."""
    for quote in ('"', "'", "`", "", "&quot;", "&#39;", '\\"', "\\'", '""', "%22", "\u201d", "\uff02"):
        yield f"{quote} autofocus onfocus=ran() x={quote}"
        yield f"{quote}><img src=x onerror=ran()>"
    yield from ("a onmouseover=ran()", "x' style='position:fixed;inset:0;background:red", '" href="javascript:ran()')


@family
def addresses() -> Iterator[str]:
    """Addresses that run a script, and addresses elsewhere."""
    names = "javascript", "JaVaScRiPt", "java\tscript", "java\nscript", "\x01javascript", " javascript", "java\0script"
    for name in (
        *names,
        "vbscript",
        "livescript",
        "javascript&colon;",
        "javascript&#58;",
        "&#106avascript",
        "view-source",
    ):
        yield f"{name}:ran()"
    yield from (
        "javascript://%0aran()",
        "javascript:/*--></title></style></textarea></script><svg/onload='+/\"/+/onmouseover=1/+/[*/[]/+ran()//'>",
        "data:text/html,<script>ran()</script>", "data:text/html;base64,PHNjcmlwdD5yYW4oKTwvc2NyaXB0Pg==",
        "data:image/svg+xml,<svg onload=ran()>", "blob:http://127.0.0.1/x", "file:///etc/passwd", f"//{HOST}/x",
        f"\\\\{HOST}\\x", f"http:{HOST}", f"https://user:password@{HOST}:80/?a=b#c", f"http://127.0.0.1@{HOST}/",
        f"http://[::1].{HOST}", "http://\u0440\u0430ypal.example/", f"ws://{HOST}/",
        f"mailto:a@{HOST}?subject=x&body=y", "http://169.254.169.254/latest/meta-data/",
        "http://0x7f000001/ http://2130706433/ http://localhost:1/",
    )  # fmt: skip


@family
def styles() -> Iterator[str]:
    """CSS that loads something, hides the page, or ends the rule that it stands in."""
    yield from (
        f"<style>@import '{THERE}';</style>", f"<style>*{{background:url({THERE})!important}}</style>",
        "<style>body{display:none}</style>", "</style><style>*{visibility:hidden!important}</style>",
        f"<b style='background:url({THERE})'>a</b>", "<b style='width:expression(ran())'>a</b>",
        "<b style='-moz-binding:url(x)'>a</b>",
        "<b style='position:fixed;top:0;left:0;width:9999px;height:9999px;z-index:9999'>a</b>",
        f"red;background:url({THERE})", f"}}*{{background:url({THERE})}}", "color:red}body{display:none",
        f"url({THERE})", "expression(ran())", "\\62 ackground:red", "/*", f"@import url({THERE});",
        f"@font-face{{font-family:x;src:url({THERE})}}", "var(--st-text-color)", "--x:}",
    )  # fmt: skip
