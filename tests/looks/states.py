"""All states that are drawn, page by page. Each is a line or two: what goes from a page goes from here with its state.

Each step of the course is drawn once, at 1280 px in the light. States that differ from others only in a few words are
drawn at one or two widths.
"""

from __future__ import annotations

import random

from playwright.sync_api import Page

from tests.e2e.hostile import added, named
from tests.e2e.test_learn import answer
from tests.hostile import FAMILIES
from tests.looks.acts import Act, choose, click, fill, from_menu, key, on, press, see, turn, upload
from tests.looks.classroom import hour
from tests.looks.state import State, at
from tokviz.base.text import clean
from tokviz.formats import dump
from tokviz.teach.lessons.course import course
from tokviz.teach.lessons.plans import GUIDE, plans
from tokviz.ui.library.entries import key_of_saved

ALL = "gpt2,cl100k_base,o200k_base"
EMOJI = "नमस्ते दुनिया 👩‍👩‍👧 👍🏽 🇳🇵 naïve café, 日本語 العربية, é e\u0301\n"
LONG = "supercalifragilisticexpialidocious" * 20 + "\n" + "A line that does not end, 1,234,567, " * 60
HOSTILE = clean("\n".join(next(iter(texts()))[:60] for texts in FAMILIES.values()))
HOSTILE_NAME = "<b>bold</b> [a](x) नमस्ते 👩‍👩‍👧"
BAD = b"\x00\xff\xfe" * 50
ONE, TWO = (1280,), (390, 1280)


def words(n_bytes: int) -> bytes:
    """Words that are all different, so that training on them takes a while."""
    return random.Random(5).randbytes(n_bytes // 2).hex().translate(str.maketrans("0123456789", " ghijklmno")).encode()


# -- Tokens --

CHAT, IDS = from_menu("Text", "A conversation"), from_menu("Text", "From ids to text")
TOKENS = (
    State("tokens.opened", "/"),
    State("tokens.three", at("/", use=ALL)),
    State("tokens.empty", "/", [from_menu("Text", "Clear the text")]),
    State("tokens.long", at("/", use="gpt2", text=LONG)),
    State("tokens.emoji", at("/", use=ALL, text=EMOJI)),
    State("tokens.hostile", at("/", use=ALL, text=HOSTILE)),
    State("tokens.languages", at("/", use="cl100k_base", sample="parallel"), widths=ONE),
    State("tokens.large", at("/", use="o200k_base", sample="story"), widths=TWO),
    State("tokens.ids", at("/", use=ALL, view="ids"), widths=TWO),
    State("tokens.bytes", at("/", use=ALL, view="bytes", text=EMOJI), widths=TWO),
    State("tokens.table", at("/", use="o200k_base", view="table")),
    State("tokens.pinned", at("/", use="gpt2", pin="0.4"), widths=TWO),
    State("tokens.ribbon", at("/", use="gpt2", text=EMOJI, pin="0.40"), widths=TWO),
    State("tokens.smaller", at("/", use="o200k_base", size=1000), widths=TWO),
    State("tokens.special", at("/", use=ALL, specials="special"), widths=TWO),
    State("tokens.refused", at("/", use=ALL, specials="refuse"), widths=TWO),
    State("tokens.link-error", at("/", use="gpt2,gpt9", size="x", view="a b", packed="eJ"), widths=TWO),
    State("tokens.found", "/", [key("/"), fill("Find text or id", "straw")], widths=TWO),
    *(State(f"tokens.{name.lower()}", "/", [press(name)], widths=TWO) for name in ("Text", "View", "Share")),
    State("tokens.models", "/", [press("Tokenizer: GPT-4o")]),
    State("tokens.cost", "/", [click(lambda page: page.get_by_text("What does this cost?"))], widths=TWO),
    State("tokens.from-ids", "/", [IDS, fill("Ids", "13225, 11, 2375, 0")]),
    State("tokens.from-ids-error", "/", [IDS, fill("Ids", "13225, <b>11</b>, 999999")], widths=TWO),
    State("tokens.chat", "/", [CHAT, press("Add a message")]),
    State("tokens.start-over", "/", [press("Start over")], whole=False),
)

# -- Train --

SAMPLE = (turn("Sample"), choose("Text: a sample", "A tongue-twister"))
MORE = on("More settings")
CUSTOM = choose("Split pattern", "custom")
SPECIAL = fill("Special tokens, one per line", "<|end|>\n" + HOSTILE_NAME)
WRONG = (fill("Your split pattern, a regular expression", "("), fill("Vocabulary size", "3"))
TRAIN = (press("Train"), see("text=Replay the merges"))
EMOJI_FILE = upload(f"{HOSTILE_NAME}.txt", (EMOJI * 20 + HOSTILE).encode())
WORK = (upload("manual.txt", lambda: words(16_000_000)), fill("Vocabulary size", "60000"))
ROWS = "low lower lowest, new newer newest " * 3
TRAINING = (
    State("train.opened", "/train"),
    State("train.sample", "/train", [turn("Sample")], widths=TWO),
    State("train.uploaded", "/train", [upload("story.txt", EMOJI.encode() * 200)]),
    State("train.bad-file", "/train", [upload("<b>bad</b>.txt", BAD)]),
    State("train.set-up", "/train", [*SAMPLE, MORE, CUSTOM, SPECIAL]),
    State("train.wrong", "/train", [*SAMPLE, MORE, CUSTOM, *WRONG], widths=TWO),
    State("train.trained", "/train", [*SAMPLE, *TRAIN]),
    State("train.trained-emoji", "/train", [EMOJI_FILE, *TRAIN]),
    State("train.works", "/train", [*WORK, press("Train")], works="text=/^Training: merge/"),
    State("train.removed", "/train", [*SAMPLE, *TRAIN, press("Remove")], widths=ONE, whole=False),
    State("train.written", "/train", [turn("Write")]),
    State("train.written-step", at("/train", write=1, text=ROWS, step=4)),
    State("train.written-long", at("/train", write=1, text=LONG), widths=TWO),
    State("train.written-emoji", at("/train", write=1, text=EMOJI * 3)),
    State("train.written-hostile", at("/train", write=1, text=HOSTILE * 2), widths=TWO),
    State("train.written-error", at("/train", write=1, text=ROWS, pattern="("), widths=TWO),
    State("train.written-empty", at("/train", write=1, text=""), widths=TWO),
)

# -- Replay --


def of_gpt2(page: Page) -> None:
    """Choose the merge list of GPT-2."""
    page.get_by_role("combobox", name="Merges of").select_option("gpt2")


MORE = click(lambda page: page.get_by_role("button", name="Speed and more"))
PREDICT = (MORE, on("Predict first"), key("Escape"), see(".guess .option"))
GUESS = (click(lambda page: page.locator(".guess .option").nth(1)), press("Commit"), see("text=Next merge"))
WHAT_IF = (on("What if"), see("text=What to change"))
AGAIN = (press("Train again"), see("text=CSV of these tokens"))
REPLAY = (
    State("replay.opened", "/replay"),
    State("replay.middle", at("/replay", step=12)),
    State("replay.end", at("/replay", step=32)),
    State("replay.past-the-end", at("/replay", step=999), widths=ONE),
    State("replay.emoji", at("/replay", step=6, text=EMOJI)),
    State("replay.hostile", at("/replay", step=6, text=HOSTILE)),
    State("replay.ledger", at("/replay", step=3), [fill("Find a merge", "sh")], widths=ONE),
    State("replay.more", at("/replay", step=3), [MORE], widths=TWO),
    State("replay.curve", at("/replay", step=12), [on("Curves"), see("text=halve the tokens")], widths=TWO),
    State("replay.predict", "/replay", PREDICT),
    State("replay.revealed", "/replay", [*PREDICT, *GUESS]),
    State("replay.presenting", at("/replay", step=5, presenting=1), whole=False),
    State("replay.presenting-guess", at("/replay", step=5, presenting=1), PREDICT, whole=False),
    State("replay.what-if", at("/replay", step=5), [*WHAT_IF, *AGAIN]),
    State(
        "replay.what-if-line",
        "/replay",
        [*WHAT_IF, choose("What to change", "add a line to the corpus"), fill("The line", HOSTILE_NAME), *AGAIN],
        widths=TWO,
    ),
    State(
        "replay.what-if-pattern",
        "/replay",
        [*WHAT_IF, choose("What to change", "split the corpus by another pattern")],
        widths=ONE,
    ),
    State("replay.others", "/replay", [of_gpt2, see("text=merges that fire")]),
)

# -- Compare --

CATS = ("The cat sat on the mat in 2008.\n" * 300 + "<b>٣</b> 猫 " * 200).encode()
FILES = at("/compare", use=ALL, tab="files")
COMPARE = (
    State("compare.opened", "/compare"),
    State("compare.one", at("/compare", use="gpt2"), widths=TWO),
    State("compare.empty", "/compare?text="),
    State("compare.long", at("/compare", use=ALL, text=LONG), widths=TWO),
    State("compare.large", at("/compare", use=ALL, sample="story"), widths=ONE),
    State("compare.emoji", at("/compare", use=ALL, text=EMOJI)),
    State("compare.hostile", at("/compare", use=ALL, text=HOSTILE)),
    State("compare.disagreement", at("/compare", use=ALL), [press("Next disagreement")] * 3),
    State("compare.special", at("/compare", use=ALL, specials="special"), widths=TWO),
    State("compare.added", "/compare", [press("Add a tokenizer")], widths=ONE),
    State("compare.link-error", at("/compare", use="gpt2,gpt9", pair="x", tab="nothing"), widths=ONE),
    State("compare.vocabulary-size", at("/compare", use=ALL, tab="vocabulary-size")),
    State("compare.languages", at("/compare", use=ALL, tab="languages")),
    State("compare.trained-on", at("/compare", use=ALL, tab="train-and-test")),
    State("compare.files", FILES),
    State("compare.files-samples", FILES, [press("Use the samples")]),
    State("compare.files-one", FILES, [upload("cats <b>.txt", CATS), see("[aria-label='Place in the file']")]),
    State("compare.files-error", FILES, [upload("<b>bad</b>.txt", BAD)], widths=ONE),
    State("compare.expensive", at("/compare", use=ALL, tab="waste"), [see("text=what costs most")]),
    State("compare.prices", at("/compare", use=ALL, tab="cost")),
    State("compare.folds", "/compare", [on("More figures"), on("Lengths of tokens"), on("What each figure is")]),
)

# -- Vocabulary --

OWN_PATTERN = "A split pattern of your own, a regular expression"
SPLITS = at("/vocabulary", part="splits")
VOCABULARY = (
    State("vocabulary.opened", "/vocabulary"),
    State("vocabulary.searched", at("/vocabulary", use="o200k_base", search="every", sample="story")),
    State("vocabulary.token", at("/vocabulary", use="o200k_base", search="every", token=1753, sample="story")),
    State("vocabulary.token-emoji", at("/vocabulary", use="o200k_base", token=9468, text=EMOJI)),
    State("vocabulary.token-byte", at("/vocabulary", use="gpt2", token=65), widths=ONE),
    State("vocabulary.token-special", at("/vocabulary", use="gpt2", token=50256), widths=ONE),
    State("vocabulary.none-found", at("/vocabulary", use="gpt2", search=HOSTILE_NAME), widths=TWO),
    State("vocabulary.pattern-error", at("/vocabulary", use="gpt2", search="(every", by="pattern"), widths=TWO),
    State("vocabulary.filtered", at("/vocabulary", use="o200k_base", script="Devanagari", length=9), widths=TWO),
    State("vocabulary.used", at("/vocabulary", use="gpt2", sample="story", sort="use", down=1), widths=TWO),
    State("vocabulary.odd", at("/vocabulary", part="odd", use="gpt2")),
    State("vocabulary.odd-o200k", at("/vocabulary", part="odd", use="o200k_base", text=EMOJI), widths=TWO),
    State("vocabulary.overlay", at("/vocabulary", part="overlay", use="gpt2,cl100k_base")),
    State("vocabulary.splits", SPLITS),
    State("vocabulary.splits-own", SPLITS, [fill(OWN_PATTERN, r"<b>[\w ]+</b>|[\s\S]")]),
    State("vocabulary.splits-error", SPLITS, [fill(OWN_PATTERN, "(a"), see(".note")], widths=TWO),
    State("vocabulary.link-error", at("/vocabulary", part="nothing", use="gpt9", token="x"), widths=ONE),
)

# -- Library --

SHELLS, LONG_NAME, DAMAGED = "shells", " ".join(["A very long name, [a](x) नमस्ते 👩‍👩‍👧"] * 2), "torn"  # what is saved
FILE = dump(named(HOSTILE_NAME), "tokviz").popitem()[1]
RANKS = upload("ranks.tiktoken", dump(named("ranks").with_special_tokens({}), "tiktoken").popitem()[1])
SAVED, PROVE = f"/library?open={key_of_saved(SHELLS)}", see("text=Prove it")
TAKEN = (fill("Text of special token 2", "<|user|>"), fill("Id of special token 2", "299"))
LIBRARY = (
    State("library.opened", "/library"),
    State("library.yours", "/library", [turn("Yours 0")], widths=ONE),
    State("library.own", "/library", [lambda page: added(page, named(HOSTILE_NAME), named("own"))]),
    State("library.file", "/library", [upload("own.json", FILE)]),
    State("library.file-asks", "/library", [RANKS]),
    State("library.file-error", "/library", [RANKS, CUSTOM, WRONG[0]], widths=TWO),
    State("library.bad-file", "/library", [upload("<b>notes</b>.txt", b"To be, or not to be")], widths=TWO),
    State("library.unknown", "/library?open=<b>nothing</b>", widths=ONE),
    State("library.reference", "/library?open=gpt2", [PROVE]),
    State("library.saved", SAVED, [PROVE]),
    State("library.long-name", f"/library?open={key_of_saved(LONG_NAME)}", [PROVE], widths=TWO),
    State("library.damaged", f"/library?open={key_of_saved(DAMAGED)}"),
    State("library.proved", SAVED, [PROVE, press("Prove it"), see("text=reloaded it"), on("The evidence")]),
    State("library.special", SAVED, [PROVE, press("Add a special token"), *TAKEN]),
    State("library.renamed", SAVED, [PROVE, press("Rename")], widths=TWO, whole=False),
    State("library.deleted", SAVED, [PROVE, press("Delete")], widths=ONE, whole=False),
)

# -- Learn --

TITLE = click(lambda page: page.locator(".lesson h1"))


def solve(step: str, said: object) -> Act:
    """Answer the task of a step."""
    return lambda page: answer(page, course().step(step), said)


PRESENT = (TITLE, key("p"), see("dialog:modal h1"))
LEARN = (
    State("learn.opened", "/learn"),
    State("learn.presenting", "/learn", PRESENT, whole=False),
    State("learn.presenting-task", at("/learn", step="training-loop-2"), PRESENT, whole=False),
    State("learn.right", at("/learn", step="training-loop-2"), [solve("training-loop-2", 1)]),
    State("learn.wrong", at("/learn", step="training-loop-2"), [solve("training-loop-2", 2)]),
    State("learn.written", at("/learn", step="bytes-4"), [solve("bytes-4", EMOJI)], widths=TWO),
    State("learn.hostile", at("/learn", step="bytes-4"), [solve("bytes-4", HOSTILE)], widths=TWO),
    State("learn.number", at("/learn", step="bytes-2"), [solve("bytes-2", 255)], widths=ONE),
    *(State(f"learn.plan-{plan}", at("/learn", plan=plan), widths=TWO) for plan in [*plans(), GUIDE]),
    State("learn.link-error", at("/learn", step="nothing", plan="<b>x</b>"), widths=ONE),
    *(
        State(f"learn.{chapter}.{number}", at("/learn", step=step.id), widths=ONE, themes=("light",))
        for chapter, one in enumerate(course().chapters, 1)
        for number, step in enumerate(one.steps, 1)
    ),
)

# -- Class --

OPINION = (fill("Your question", HOSTILE_NAME), fill("Answer A", "नमस्ते 👩‍👩‍👧"), fill("Answer B", "a long answer " * 5))
CLASS = (
    State("class.opened", "/class"),
    State("class.no-code", "/class", [fill("Room code, on the screen in front", "o0i1"), key("Enter")], widths=TWO),
    State("class.room", "/class", [press("Open a room")], whole=False),
    State("class.own-question", "/class", [press("Open a room"), turn("Your own"), *OPINION], whole=False),
    State("class.asked", "/class", [hour("asked")], widths=TWO, whole=False),
    State("class.voted", "/class", [hour("voted")], whole=False),
    State("class.told", "/class", [hour("told")], whole=False),
    State("class.student", "/class", [hour("joined", student=True)], widths=(390,)),
    State("class.student-asked", "/class", [hour("asked", student=True)], widths=(390,)),
    State("class.student-voted", "/class", [hour("voted", student=True)], widths=(390,)),
    State("class.student-told", "/class", [hour("told", student=True)], widths=TWO),
)

STATES = {
    state.name: state
    for page in (TOKENS, TRAINING, REPLAY, COMPARE, VOCABULARY, LIBRARY, LEARN, CLASS)
    for state in page
}
