"""What use is counted in on the Vocabulary page, against a plain count of the ids."""

from __future__ import annotations

from collections import Counter

import pytest
from streamlit.testing.v1 import AppTest

import tokviz
from tests.pages import app as app
from tests.pages import at, components, me, notes, upload
from tests.peers_cases import peer
from tokviz.catalog.samples import sample
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.vocabulary import use
from tokviz.ui.vocabulary.state import VocabularyState
from tokviz.ui.vocabulary.use import CountedUse, counted_use, shown_of

TEXT = "She sells <|endoftext|> sea shells. 🦜 naïve"


def by_id(visitor: Visitor, said: CountedUse) -> Counter[int]:
    """Id -> how often the token remains."""
    tok = shown_of(visitor).tokenizer
    ids = [*tok.alphabet.tolist(), *tok.merge_ids.tolist()]
    return Counter(dict(zip(ids, said.use.remain.tolist(), strict=True))) + Counter(said.use.whole)


def choose(app: AppTest, place: str) -> None:
    me(app).state(VocabularyState).use_in = place
    app.run()


@pytest.mark.parametrize("reading", ["text", "special"])
def test_use_in_a_text_is_a_count_of_its_ids(reading: str, monkeypatch: pytest.MonkeyPatch) -> None:
    visitor = Visitor(text=TEXT, specials=reading)  # type: ignore[arg-type]
    allowed = "all" if reading == "special" else set()
    for piece in (use.PIECE, 5):
        monkeypatch.setattr(use, "PIECE", piece)
        visitor.cache.shrink(0)
        said = counted_use(visitor, shown_of(visitor))
        tok = tokviz.reference("o200k_base")
        assert by_id(visitor, said) == Counter(tok.encode(TEXT, allowed, ()))
        assert (said.name, said.text, said.n_bytes, said.fault) == ("your text", TEXT, len(TEXT.encode()), None)


def test_use_in_a_text_of_a_tokenizer_that_is_no_tokenizer_of_merges() -> None:
    visitor = Visitor(text="She sells sea shells", specials="special")
    one = peer("WordPiece")
    visitor.state(VocabularyState).of = visitor.add_peer("words", one).key
    said = counted_use(visitor, shown_of(visitor))
    assert Counter(said.use.whole) == Counter(one.encode(visitor.text))


def test_use_in_the_corpus_and_in_what_the_visitor_chooses(app: AppTest) -> None:
    training = tokviz.train("so so so", vocab_size=258)
    short = tokviz.train("so so so", vocab_size=258, pattern="[a-z ]+").tokenizer
    visitor, state = me(app), me(app).state(VocabularyState)
    visitor.add("so", training.tokenizer, training, corpus_name="so.txt")
    at(app, "vocabulary")
    assert components(app, "token_list")[0]["uses"][:2] == [["", "the corpus “so.txt”"], ["text", "your text"]]
    said = counted_use(visitor, shown_of(visitor))
    assert (said.name, said.text, said.training) == ("the corpus “so.txt”", None, training)

    choose(app, "sample.story")
    said = counted_use(visitor, shown_of(visitor))
    assert (said.name, said.text) == (f"“{sample('story').title}”", sample("story").text)

    choose(app, "file")
    assert counted_use(visitor, shown_of(visitor)).name == "the corpus “so.txt”"  # as long as there is no file
    upload(app, ("<b>so</b>.txt", b"so"))
    said = counted_use(visitor, shown_of(visitor))
    assert (said.name, said.text, by_id(visitor, said)) == ("“<b>so</b>.txt”", "so", Counter([256]))

    upload(app, ("zero.txt", b""))
    assert "zero.txt is empty" in notes(app)
    assert counted_use(visitor, shown_of(visitor)).name == "“<b>so</b>.txt”"

    mine = visitor.add("short", short)  # it has no corpus here, and its pattern does not cover the file
    state.use_file = None
    state.use_in = "text"
    app.run()
    said = counted_use(visitor, shown_of(visitor))
    assert said.fault is not None and not said.use.remain.any()
    assert not app.exception and shown_of(visitor).key == mine.key

    state.use_in = "gone"  # and no corpus, which it has none of, and the text that a visitor begins with is short
    assert counted_use(visitor, shown_of(visitor)).name == f"“{sample('story').title}”"
    visitor.type(TEXT, "")
    assert counted_use(visitor, shown_of(visitor)).name == "your text"

    state.of, visitor.text = visitor.add_peer("words", peer("WordPiece")).key, "x" * 2_000_001
    assert "can only read a text as a whole" in str(counted_use(visitor, shown_of(visitor)).fault)
