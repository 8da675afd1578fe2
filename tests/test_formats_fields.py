"""Every field of a file gets wrong values: it is refused with the name of the field, or all that shows it works."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tokviz
from tokviz import Tokenizer
from tokviz.base.errors import SettingError, TokvizError
from tokviz.catalog import saved
from tokviz.formats import dump, load
from tokviz.notebook import tokenizer_html
from tokviz.training.record import training_record

CAT = "the cat in the hat sat on the mat. <s>"
TEXTS = [tokviz.read_text(b"the cat in the hat sat on the mat. <s>", "cat.txt"), tokviz.read_text(b"a hat", "hat.txt")]
TRAINED = tokviz.train(TEXTS, 268, special_tokens=["<s>"], tie="lowest", min_count=1, ban=[b"hat"]).tokenizer
MANY = tokviz.train(["the cat"] * 1_001, 258, pattern="cl100k").tokenizer.truncated(257)
RANKS = Tokenizer.from_ranks(
    "ranks", {**TRAINED.rank_file, b" sat on": 300}, pattern=r"\w+|\W+", special_tokens={"<s>": 400}
).renamed("é")

HALF = "\ud800"
TWO = {
    "alphabet": ("merges",),
    "merges": ("for each merge",),
    "tokens": ("for each merge",),
    "version": ("merges", "tokens"),
    "format": ("x",),
}
WRONG: list[Any] = [
    *(None, True, False, 0, -1, 1, 97, 255, 256, 2**31, 2**53, 2**70, -(2**70), 1.5, 256.0, math.inf, math.nan, -0.0),
    *("", "x", "é", HALF, "a\udcff", "\x00", "0", "gpt2", "none", "(", "<b>", "x" * 3_000, "AA", "\n"),
    *([], {}, [[]], [97, 98], [HALF], [None], {"a": 1}, {HALF: 1}, {"a": HALF}, {"texts": []}, [{"name": HALF}]),
    *([0] * 11, [2**70] * 11, [True] * 11, ["1"] * 11, [-1] * 256, [[97, 98, 99]], [[0.5, 1]], [{}] * 3),
]


def places(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every field; of a list the first two places."""
    if above:
        yield above
    inside = value.items() if isinstance(value, dict) else enumerate(value[:2]) if isinstance(value, list) else ()
    for key, part in inside:
        yield from places(part, (*above, key))


def changed(model: Any, path: tuple[Any, ...], value: Any) -> Any:
    model = copy.deepcopy(model)
    at = model
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return model


def refused(files: dict[str, bytes], names: tuple[str, ...], **say: Any) -> bool:
    """Is it refused, with one of these names? What is not refused works everywhere."""
    try:
        tok = load(files, **say)
    except TokvizError as fault:
        said = str(fault)
    else:
        works(tok)
        return False
    assert any(name in said for name in names), (names, said)
    return True


def works(tok: Tokenizer) -> None:
    training_record(tok), tok.origin.words, tok.origin.sums, tokenizer_html(tok)
    data = dump(tok, "tokviz")
    again = load(data)
    assert (again.name, again.made_from, again.history, again.vocab) == (
        tok.name,
        tok.made_from,
        tok.history,
        tok.vocab,
    )
    json.dumps([tok.name, tok.pattern, dict(tok.special_tokens), tok.made_from], ensure_ascii=False).encode()
    try:
        assert tok.decode(tok.encode(CAT, "all")) == CAT or tok.normalizer
    except TokvizError:  # its pattern may be one that does not cover the text
        return


@pytest.mark.parametrize("tok", [TRAINED, MANY, RANKS], ids=["trained", "many texts", "ranks"])
def test_every_field_of_our_own_format(tok: Tokenizer) -> None:
    (data,) = dump(tok, "tokviz").values()
    model, found = json.loads(data), 0
    for number, path in enumerate(places(model)):
        for value in WRONG[number % 3 :: 3]:  # each field gets others
            data = json.dumps(changed(model, path, value)).encode()
            found += refused({"x.json": data}, (*map(str, path[:2]), *TWO.get(str(path[0]), ()), "NaN", "Infinity"))
    assert found > 130


def test_the_library_lists_what_any_field_may_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKVIZ_SAVED", str(tmp_path))
    model = json.loads(dump(TRAINED, "tokviz")["trained.json"])
    for number, value in enumerate(WRONG):
        for field in ("name", "made_from", "history"):
            (tmp_path / f"{field} {number}.json").write_text(json.dumps({**model, field: value}))
        changed_texts = changed(model, ("made_from", "texts"), value)
        (tmp_path / f"texts {number}.json").write_text(json.dumps(changed_texts))
    listed = saved.saved()
    assert len(listed) == 4 * len(WRONG)
    for one in listed:
        assert one.about and (one.about.fault is None or "damaged" in one.about.fault.what)
        json.dumps([one.name, one.about.origin, one.about.pattern], ensure_ascii=False).encode()


def test_what_no_training_can_have_said_is_refused_when_it_is_given() -> None:
    """So that whatever is saved can be loaded again."""
    for value in ({"texts": 5}, {"texts": [{"bytes": "9"}]}, {"settings": []}, {"settings": {"tie": "x"}}):
        with pytest.raises(SettingError, match=r"^'made_from\."):
            Tokenizer("x", [], made_from=value)
    with pytest.raises(TokvizError, match="made_from contains half a character"):
        Tokenizer("x", [], made_from={"note": HALF})
