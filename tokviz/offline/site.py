"""A site of files that any host serves: an index, replays over the samples, and the whole course."""

from __future__ import annotations

from collections.abc import Iterator

from tokviz.base.blocks import Block, Chips, Group, Line, List, Quiet
from tokviz.base.sentences import Goto
from tokviz.base.wording import count_of
from tokviz.catalog.references import reference, references
from tokviz.catalog.samples import sample
from tokviz.offline import files
from tokviz.offline.data import data_of
from tokviz.offline.lesson import RUN, chapters_files
from tokviz.offline.page import standalone
from tokviz.offline.pages import text_data
from tokviz.offline.replay import Playing, replay_page
from tokviz.teach.lessons.course import course
from tokviz.training.train import train

INDEX = "index.html"
TITLE = "tokviz: see how a language model reads text"
LEAD = (
    "A token is a piece of text that a model reads as one number: a word, a part of a word, or a single byte. Here is "
    "a text as GPT-4o reads it. Press a token, and its card says how it was made."
)
SHOWN, SHOWN_BY, PINNED = (
    "The strawberries were unbelievably good: 3 for £2.50 🍓\nशुभ प्रभात, bonjour, 早上好",
    "o200k_base",
    3,
)
TRAINED = {"tongue": 288, "story": 512, "code": 512, "parallel": 768}  # key of a sample -> tokens to train on it
LISTS = {"cl100k_base": "mixed", "o200k_base": "parallel"}  # tokenizer -> sample on which its merges play
TOKENS = 12  # of a replay, that are shown on the index


def site() -> Iterator[tuple[str, str]]:
    """Make the files of the site: (name, text). The index comes last."""
    ways = {INDEX: "‹ All replays and lessons"}
    replays: list[Block] = []
    for name, shown in _replayed().items():
        yield name, replay_page(shown, ways=ways).html
        replays.append(Group(_about(name, shown), 1))
    chapters = {f"lesson-{number:02}.html": one for number, one in enumerate(course().chapters, 1)}
    yield from chapters_files(chapters, ways)
    lessons = [[Goto(one.title, name), Quiet(count_of(len(one.steps), "step"))] for name, one in chapters.items()]
    blocks = [
        Line(["Watch how tokens are made"], "title", 2),
        Group(replays, 3),
        Line(["Learn it, from letters to prices"], "title", 2),
        List(lessons, numbered=True, across=3),
    ]
    tok = reference(SHOWN_BY)
    text = text_data(tok, tok.explain(SHOWN)) | {"name": "GPT-4o"}
    data = {"text": text, "pinned": PINNED, "run": RUN, "blocks": data_of(blocks)}
    style, script = files.stylesheet(*files.SITE), files.script("tokenview/site.js")
    yield INDEX, standalone(data, title=TITLE, lead=LEAD, style=style, script=script)


def _replayed() -> dict[str, Playing]:
    """What plays, by the names of files."""
    found = {}
    for key, size in TRAINED.items():
        one = sample(key)
        training = train(one.text, size, name=one.title)
        found[f"replay-{key}.html"] = Playing(None, training.tokenizer, training, one.title)
    for name, key in LISTS.items():
        one = sample(key)
        found[f"replay-{name}.html"] = Playing(name, reference(name), None, one.title, one.text)
    return found


def _about(file: str, shown: Playing) -> list[Block]:
    """What the index says of a replay: a link, what it is, and the tokens that its last merges make."""
    tok, merges = shown.tokenizer, count_of(shown.n_merges, "merge")
    if shown.training:
        made = tok.merge_ids[-TOKENS:].tolist()
        title, about = shown.corpus_name, f"{merges} of a training on this text"
    else:
        seams = tok.explain(shown.text).seams
        ranks = sorted({*seams[(seams >= 0) & (seams < len(tok.merge_ids))].tolist()})
        made = tok.merge_ids[ranks[-TOKENS:]].tolist()
        model = references()[tok.name].known_from[0]
        title, about = f"{shown.corpus_name}, under {model}", f"{merges} of {tok.name} that fire in this text"
    return [Line([Goto(title, file)]), Line([about], "quiet"), Chips([tok.vocab[id] for id in made])]
