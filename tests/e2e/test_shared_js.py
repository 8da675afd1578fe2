"""encoding.js reads seams as tokenizer/encoding.py does: the same tokens, ids and trees at every step, from the same
payload.

hues.js colours tokens as the terminal does, and copy_and_save.js hands over, on the clipboard or as a file, what it was
given.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

import tokviz
from tests.e2e.browser import bare_page, eventually
from tokviz import OPEN, SPLIT, WHOLE, Encoding, Node
from tokviz.base.wording import listed, percent, rate
from tokviz.catalog.references import models
from tokviz.offline.bundle import bundle
from tokviz.offline.data import payload
from tokviz.offline.files import script
from tokviz.tokenizer.hues import hues
from tokviz.ui.train.questions import said_of, training_data

LETTERS = "ab cé\n\tनमस्ते日本👩‍👩‍👧ﷺ\u200d<|>"
READ = """([payload, steps]) => {
  const shared = window.shared, encoding = shared.read(payload);
  const tree = ({ start, end, id, rank, parts }) => [start, end, id, rank ?? null, (parts ?? []).map(tree)];
  const nodeOf = (start, end) => tree(shared.treeOf(encoding, start, end));
  return steps.map(k => {
    const step = k < 0 ? shared.END : k;
    const spans = shared.startsAt(encoding, step).map(start => [start, shared.endOf(encoding, start, step)]);
    return { tokens: spans.map(([start, end]) => [start, end, shared.idOf(encoding, start, end)]),
             trees: k < 0 ? spans.map(([start, end]) => nodeOf(start, end)) : [] };
  });
}"""

HUES = """payload => {
  const { read, startsAt, endOf, END } = window.reading, encoding = read(payload);
  const hueOf = window.shared.replayHues(encoding);
  return startsAt(encoding, END).map(start => hueOf(start, endOf(encoding, start, END)));
}"""
TRAINED = """async ([said, text]) => {
  const { changesBetween, trainingOf, UNTRAINED } = window.shared;
  const training = await trainingOf(said, text), changes = changesBetween(window.last ?? UNTRAINED, training);
  window.last = training;
  const { left, right, count, vocabulary } = training;
  const rows = [...count].map((n, k) => [[...vocabulary.bytes(left[k])], [...vocabulary.bytes(right[k])], n]);
  return {
    rows, said: changes.said, changes: changes.rows.map(({ kind, k }) => [kind, k]),
    tokens: [...training.tokens], seams: [...training.encoding.seams], whole: [...training.encoding.whole],
    text: training.encoding.text,
  };
}"""
IMPORT = """async text => {
  const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  window.shared = await import(address);
}"""
BUTTON = """<button id="copy">Copy</button><p role="status" id="status"></p><textarea id="paste"></textarea>"""
HOSTS = {"https": "https://tokviz.test/", "http under a host name": "http://classroom.test/"}


@pytest.fixture(scope="module")
def reader(browser: Browser) -> Iterator[Page]:
    page = bare_page(browser)
    page.evaluate(IMPORT, script("tokenview/encoding.js"))
    yield page
    page.context.close()


def test_two_files_of_a_script_may_define_the_same_name(reader: Page, tmp_path: Path) -> None:
    for name, text in {
        "a": 'const roots = ["a"];\nexport const ofA = () => roots;\n',
        "b": 'const roots = ["b"];\nexport function* ofB() {\n  yield* roots;\n}\n',
        "entry": 'import { ofA } from "./a.js";\nimport { ofB } from "./b.js";\n'
        "const roots = [...ofA(), ...ofB()];\nexport const all = roots;\n",
    }.items():
        Path(tmp_path, f"{name}.js").write_text(text)
    page = reader.context.new_page()
    page.evaluate(IMPORT, bundle(tmp_path / "entry.js"))
    assert page.evaluate("shared.all") == ["a", "b"]
    page.close()


def on_a_page(page: Page, address: str) -> None:
    """A page with a button, as the browser has it from this address, and copy_and_save.js in it."""
    page.route(address, lambda route: route.fulfill(body=BUTTON, content_type="text/html; charset=utf-8"))
    page.goto(address)
    page.evaluate(IMPORT, script("kit/copy_and_save.js"))


def test_sockets_are_in_the_folder_of_the_page(reader: Page) -> None:
    page = reader.context.new_page()
    for folder in ("http://classroom.test/", "https://lab.test/proxy/8501/"):
        for place in ("", "learn"):
            on_a_page(page, folder + place)
            page.evaluate(IMPORT, script("kit/connection.js"))
            assert page.evaluate("shared.socketAt('live')") == f"ws{folder.removeprefix('http')}tokviz/live"
    page.close()


def trained(chance: random.Random) -> Encoding:
    """A text under a tokenizer that was trained on something like it."""
    text = "".join(chance.choice(LETTERS) for _ in range(chance.randint(0, 120)))
    pattern = chance.choice(["none", "gpt2", "o200k"])
    tok = tokviz.train(
        text + text[::-1], 256 + chance.randint(0, 60), pattern=pattern, special_tokens=["<|>"]
    ).tokenizer
    return tok.explain(text, allowed_special="all")


def made_up(chance: random.Random) -> Encoding:
    """Seams that no tokenizer closed: whatever holds for them holds for all."""
    data = "".join(chance.choice(LETTERS) for _ in range(chance.randint(1, 60))).encode()
    seams = np.array([chance.choice([0, 1, 2, 5, 9, OPEN, SPLIT]) for _ in data], np.int32)
    seams[0] = SPLIT
    whole: dict[int, int | None] = {}
    if len(data) > 6:
        seams[2:6] = [SPLIT, WHOLE, WHOLE, SPLIT]
        whole = {2: chance.choice([None, 70_000])}
    return Encoding(data, seams, merge_ids=np.arange(300, 310, dtype=np.int32), whole=whole)


def node(tree: Node) -> list[Any]:
    return [tree.start, tree.end, tree.id, tree.rank, [node(part) for part in tree.parts]]


@pytest.mark.parametrize("make", [trained, made_up])
def test_the_browser_reads_what_python_reads(reader: Page, make: Any) -> None:
    chance = random.Random(make.__name__)
    for _ in range(60):
        encoding = make(chance)
        steps = [0, 1, 2, 3, chance.randint(0, 60), -1]
        read = reader.evaluate(READ, [payload(encoding), steps])
        for k, found in zip(steps, read, strict=True):
            there = encoding if k < 0 else encoding.at(k)
            assert found["tokens"] == [[token.start, token.end, token.id] for token in there.tokens()]
        assert read[-1]["trees"] == [node(encoding.tree(i)) for i in range(len(encoding.ends))]


def test_the_terminal_has_the_hues_of_the_pages(browser: Browser) -> None:
    page = bare_page(browser)
    page.evaluate(IMPORT, script("tokenview/encoding.js"))
    page.evaluate("window.reading = window.shared")
    page.evaluate(IMPORT, script("tokenview/hues.js"))
    chance = random.Random("hues")
    for encoding in [trained(chance) for _ in range(60)] + [tokviz.reference("gpt2").explain(LETTERS * 20)]:
        assert page.evaluate(HUES, payload(encoding)) == hues(encoding)
    page.context.close()


def test_the_browser_has_the_training_after_any_edits_and_finds_what_they_changed(browser: Browser) -> None:
    page, chance, text, last = bare_page(browser), random.Random("edits"), "", list[bytes]()
    page.evaluate(IMPORT, script("train/training.js"))
    letters = "aabbc \né👩<|>"
    for _ in range(60):
        start = chance.randint(0, len(text))
        stop = min(len(text), start + chance.choice([0, 0, 1, 5]))
        text = text[:start] + "".join(chance.choices(letters, k=chance.choice([0, 1, 1, 2, 40]))) + text[stop:]
        size, pattern = 256 + chance.choice([3, 40]), chance.choice(["gpt2", "none"])
        training = tokviz.train(text, size, pattern=pattern, special_tokens=["<|>"])
        found = page.evaluate(TRAINED, [training_data(training) | {"said": said_of(training, text, size)}, text])
        vocab, encoding = training.tokenizer.vocab, training.window(0, training.n_bytes)
        merges = [[[*vocab[merge.left]], [*vocab[merge.right]], merge.count] for merge in training.merges]
        assert found["rows"] == merges and found["text"] == text
        assert found["tokens"] == [training.tokens_at(k) for k in range(len(merges) + 1)]
        assert found["seams"] == encoding.seams.tolist()
        assert dict(found["whole"]) == encoding.whole
        now = [vocab[merge.id] for merge in training.merges]
        old = [last.index(token) if token in last else -1 for token in now]
        kinds = ["new" if was < 0 else "up" if was > k else "down" if was < k else "" for k, was in enumerate(old)]
        rows = [(kind, k) for k, kind in enumerate(kinds)]
        gone = [k for k, token in enumerate(last) if token not in now]
        for k in gone if now else []:
            rows.insert(k, ("gone", k))
        assert [*map(tuple, found["changes"])] == rows
        many = Counter(kinds) + Counter({"gone": len(gone)})
        words = [f"{many[kind]} {kind}" for kind in ("up", "down", "new", "gone") if many[kind]]
        assert found["said"] == (", ".join(words) or "no merge moved")
        last = now
    page.context.close()


@pytest.mark.parametrize("host", HOSTS)
def test_copied_text_is_the_text_wherever_the_page_comes_from(browser: Browser, host: str) -> None:
    page = bare_page(browser)
    on_a_page(page, HOSTS[host])
    assert page.evaluate("isSecureContext") == (host == "https")
    page.evaluate(
        """() => {
          copy.onclick = () => shared.copyText("1, 2\\r\\n\\t<b>\\u00a0é</b> 👩\\u200d👧", window.said);
          window.said = document.getElementById("status");
          paste.onpaste = event => window.pasted = event.clipboardData.getData("text/plain");
        }"""
    )
    page.get_by_role("button").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_have_text("Copied.")
    expect(page.get_by_role("button")).to_be_focused()
    expect(page.locator("textarea")).to_have_count(1)
    page.locator("#paste").focus()
    page.keyboard.press("Control+V")
    eventually(lambda: page.evaluate("window.pasted"), "1, 2\r\n\t<b>\u00a0é</b> 👩\u200d👧")
    page.context.close()


@pytest.mark.right
def test_a_copied_link_has_the_address_of_the_network(browser: Browser) -> None:
    page = bare_page(browser)
    on_a_page(page, "http://localhost/learn")
    assert page.evaluate("shared.addressOf('v=1')") == "http://localhost/learn?v=1"
    page.evaluate("document.documentElement.dataset.address = '192.0.2.14'")
    assert page.evaluate("shared.addressOf('v=1')") == "http://192.0.2.14/learn?v=1"
    page.context.close()


def test_where_copying_is_refused_it_says_so(browser: Browser) -> None:
    page = bare_page(browser)
    on_a_page(page, HOSTS["http under a host name"])
    page.evaluate("document.execCommand = () => false")
    assert page.evaluate("shared.copyText('x', document.getElementById('status'))") is False
    expect(page.get_by_role("status")).to_contain_text("did not let this page copy")
    page.context.close()


@pytest.mark.parametrize(
    ("name", "kept_as"),
    [("tokens cl100k_base.csv", "tokens-cl100k_base.csv"), ("../..\\<é>:1/.csv", "é-1-.csv"), ("//", "tokviz.csv")],
)
def test_a_saved_file_holds_what_was_given_under_a_plain_name(
    browser: Browser, tmp_path: Path, name: str, kept_as: str
) -> None:
    page = bare_page(browser)
    on_a_page(page, HOSTS["https"])
    with page.expect_download() as download:
        page.evaluate("name => shared.saveFile(name, 'text/csv', 'a,\\u00e9\\r\\n')", name)
    assert download.value.suggested_filename == kept_as
    download.value.save_as(tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == "a,é\r\n".encode()
    page.context.close()


def test_bytes_that_are_no_text(reader: Page) -> None:
    """Ids can spell bytes that are not UTF-8: they keep their places, and each takes one character of the text."""
    chance = random.Random("broken")
    tokenizer = tokviz.reference("cl100k_base")
    parts = [b"\xf0\x9f", b"\x91", b"\xc0", b"\xed\xa0\x80", "\ufffd".encode(), "é👍".encode(), b"ab", b"\xef\xbf"]
    for _ in range(60):
        data = b"".join(chance.choices(parts, k=chance.randint(1, 8)))
        encoding = tokenizer.explain_ids(tokenizer.alphabet[list(data)].tolist())
        read = reader.evaluate(
            """payload => {
              const { text, bytes, units, n } = window.shared.read(payload);
              return { text, bytes: [...bytes], units: [...units], n };
            }""",
            payload(encoding),
        )
        units = [0]
        for character in data.decode("utf-8", "surrogateescape"):
            size = len(character.encode("utf-8", "surrogateescape"))
            units[-1:] = [units[-1]] * size + [units[-1] + len(character.encode("utf-16-le", "surrogatepass")) // 2]
        assert (bytes(read["bytes"]), read["n"], read["units"]) == (data, len(data), units)
        assert read["text"] == "".join(
            "\ufffd" if "\udc80" <= c <= "\udcff" else c for c in data.decode("utf-8", "surrogateescape")
        )


def test_figures_are_rounded_in_the_browser_as_in_python(browser: Browser) -> None:
    """On halves, on numbers that binary fractions cannot express, and where rounding would say 0 % or 100 %."""
    page = bare_page(browser)
    page.evaluate(IMPORT, script("kit/words.js"))
    chance = random.Random("rounding")
    ratios = [chance.randint(0, 5_000) / chance.randint(1, 2_000) for _ in range(300)]
    ratios += [n / 200 for n in range(1, 3_000, 2)] + [33 / 8, 2.675, 1.005, 0.0, -0.0, -0.001, 1234567.125]
    shares = [chance.random() ** 6 for _ in range(300)] + [n / 2_000 for n in range(2_001)]
    shares += [0.0, 1.0, 1e-9, 0.00005, 0.0000499, 0.00995, 0.0099499, 0.9995, 0.99949, 12.5]
    read = page.evaluate("([a, b]) => [a.map(shared.rate), b.map(shared.percent)]", [ratios, shares])
    assert read == [[rate(value) for value in ratios], [percent(share) for share in shares]]
    page.context.close()


def brief_cost(tokens: int, price: Decimal) -> str:
    """The exact cost in dollars, rounded to cents, or to two digits if it is less than ten cents."""
    exact = tokens * price / 1_000_000
    if not exact:
        return "$0"
    rounded = exact.quantize(Decimal(1).scaleb(min(-2, exact.adjusted() - 1)), ROUND_HALF_UP)
    whole, _, cents = f"{rounded:,f}".partition(".")
    return f"${whole}.{cents.rstrip('0').ljust(2, '0')}"


def test_costs_are_said_in_the_browser_as_they_are(browser: Browser) -> None:
    """On halves, on powers of ten, and where rounding would say $0.00 or has one digit more."""
    page = bare_page(browser)
    page.evaluate(IMPORT, script("tokenview/price.js"))
    chance = random.Random("costs")
    prices = [*{model.price.value for model in models().values() if model.price}, Decimal("0.039"), Decimal("0.15")]
    counts = [0, 1, 3, 37, 99, 999, 1_000, 9_950, 99_500, *(chance.randint(1, 2_000_000) for _ in range(300))]
    pairs = [(tokens, price) for tokens in counts for price in prices]
    read = page.evaluate("pairs => pairs.map(pair => shared.dollars(...pair))", [(n, float(p)) for n, p in pairs])
    assert read == [brief_cost(tokens, price) for tokens, price in pairs]
    page.context.close()


@pytest.mark.right
def test_names_are_listed_in_the_browser_as_in_python(browser: Browser) -> None:
    page = bare_page(browser)
    page.evaluate(IMPORT, script("kit/words.js"))
    names = [["A"], ["A, a story"], ["A", "B"], ["A, a story", "B", "C"]]
    assert page.evaluate("all => all.map(shared.listed)", names) == list(map(listed, names))
    page.context.close()
