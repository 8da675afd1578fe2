"""The report of `tokviz check`: Markdown for a pull request, or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from tokviz.cli.check_words import Explained, Word
from tokviz.cli.checking import Checked, OtherTokenizer, Row
from tokviz.cli.markdown import code, table
from tokviz.cli.texts import Skipped
from tokviz.word_costs import SPACE
from tokviz.wording import NONE, capital, count_of, listed, visible

MOST_CHARACTERS = 60_000  # of a report; a comment on GitHub may have 65,536
ROWS_SHOWN = 50
PATH = 100  # characters of a path; the table of all rows then still fits, whatever they are
UNCOUNTED_SHOWN = 20
PIECES_SHOWN = 12
SENTENCE = 400  # characters of a sentence that has words of users in it


def as_markdown(checked: Checked) -> str:
    """The report as Markdown. Names and words are in code, so nothing of them is read as markup."""
    lines = [f"### Token check {_verdict(checked)}", ""]
    lines += [_total(name, rows) for name, rows in _by_tokenizer(checked).items()]
    for other in checked.tokenizers:
        lines += ["", *_of_tokenizer(other)]
    if checked.uncounted:
        lines += ["", *_uncounted(checked.uncounted)]
    report = "\n".join([*lines, *_rows(checked)])
    for one in checked.explained:
        words = "\n".join(["", "", *_words(one)])
        if len(report) + len(words) > MOST_CHARACTERS:
            return f"{report}\n\nThe report is too long to name the words of more files."
        report += words
    return report


def _verdict(checked: Checked) -> str:
    if checked.ok:
        return "passed"
    over = len({row.path for row in checked.rows if row.over})
    changed = sum(one.fault for one in checked.tokenizers)
    faults = [
        (over, f"{count_of(over, 'file')} past {'its' if over == 1 else 'their'} budget"),
        (changed, f"{count_of(changed, 'tokenizer')} changed"),
        (len(checked.uncounted), f"{count_of(len(checked.uncounted), 'file')} not counted"),
    ]
    return f"failed: {listed([what for n, what in faults if n])}"


def _by_tokenizer(checked: Checked) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in checked.rows:
        found.setdefault(row.tokenizer, []).append(row)
    return found


def _total(name: str, rows: list[Row]) -> str:
    now, more = sum(row.after or 0 for row in rows), sum(row.more for row in rows)
    n_files = sum(row.after is not None for row in rows)
    change = f"{_words_of(more)} than before" if more else "as many as before"
    return f"- {code(name)}: {count_of(n_files, 'file')}, {count_of(now, 'token')}, {change}."


def _words_of(more: int) -> str:
    return f"{abs(more):,} {'more' if more >= 0 else 'fewer'}"


def _of_tokenizer(other: OtherTokenizer) -> list[str]:
    name = code(other.name)
    if other.found is not None and other.found.equal:
        return [f"{name} was written anew, and is proven to give the same ids for every text."]
    lines = [f"**{name} changed.** It can give other ids than before."]
    if other.found is not None and other.found.difference is not None:
        found = other.found.difference
        text = "" if found.text is None else f" on the text {code(repr(found.text))}"
        lines = [f"**{name} changed.** It differs{text} (first: before, second: now): {code(found.why, SENTENCE)}"]
    if other.agreed:
        return lines
    return [*lines, "", "If this is meant, call `tokviz check --update` and commit the baseline."]


def _uncounted(files: Sequence[Skipped]) -> list[str]:
    lines = [f"- {code(one.path, PATH)} was not counted: {code(one.why, SENTENCE)}" for one in files[:UNCOUNTED_SHOWN]]
    rest = len(files) - len(lines)
    return [*lines, f"- And {count_of(rest, 'file')} more."] if rest else lines


def _rows(checked: Checked) -> list[str]:
    """A table of the files that changed or are past their budget; nothing if there is none."""
    uncounted = {one.path for one in checked.uncounted}
    shown = [row for row in checked.rows if row.over or (row.before != row.after and row.path not in uncounted)]
    shown.sort(key=lambda row: (-row.over, -row.more, row.path))
    if not shown:
        return []
    several = len(_by_tokenizer(checked)) > 1
    cells = [
        [
            NONE if row.after is None else f"{row.after:,}",
            f"{row.more:+,}",
            NONE if row.budget is None else f"{row.budget:,}",
            code(row.path, PATH) + (f" under {code(row.tokenizer)}" if several else ""),
            _state(row),
        ]
        for row in shown[:ROWS_SHOWN]
    ]
    lines = ["", *table(["tokens", "change", "budget", "file", ""], cells, 3)]
    rest = len(shown) - len(cells)
    return [*lines, "", f"And {count_of(rest, 'line')} more."] if rest else lines


def _state(row: Row) -> str:
    if row.over:
        return f"**{row.over:,} past its budget**"
    return "new" if row.before is None else "gone" if row.after is None else ""


def _words(one: Explained) -> list[str]:
    lines = [f"#### {code(one.path, PATH)}: what costs more under {code(one.tokenizer)}", ""]
    if one.note:
        lines += [one.note, ""]
    if not one.words:
        return lines[:-1]
    lines += table(["change", "word", "times", "tokens now", "why"], [_cells(word) for word in one.words], 1)
    if one.rest:
        lines += ["", f"All else: {one.rest:+,}."]
    return lines


def _cells(word: Word) -> list[str]:
    change = word.change
    if change.word == SPACE:
        return [f"{change.more:+,}", "white space alone", "", f"{change.after.tokens:,}", ""]
    times = f"{change.before.times:,} → {change.after.times:,}"
    if change.before.times == change.after.times:
        times = f"{change.after.times:,}"
    why = [capital("; ".join(word.why)) + "."] if word.why else []
    why += [code(word.reason, SENTENCE)] if word.reason else []
    pieces = [code(visible(piece)) for piece in word.pieces[:PIECES_SHOWN]]
    if len(word.pieces) > PIECES_SHOWN:
        pieces.append(f"and {len(word.pieces) - PIECES_SHOWN:,} more")
    return [f"{change.more:+,}", code(change.word), times, " ".join(pieces), " ".join(why)]


def as_json(checked: Checked) -> dict[str, Any]:
    """The report as JSON, with all files and the words of those that grew most. Pieces are in hexadecimal."""
    return {
        "ok": checked.ok,
        "files": [{**asdict(row), "more": row.more, "over": row.over} for row in checked.rows],
        "tokenizers": [
            {
                "name": other.name,
                "fault": other.fault,
                "equal": None if other.found is None else other.found.equal,
                "why": None if other.found is None or other.found.difference is None else other.found.difference.why,
            }
            for other in checked.tokenizers
        ],
        "uncounted": [{"path": one.path, "reason": one.why} for one in checked.uncounted],
        "words": [
            {
                "path": one.path,
                "tokenizer": one.tokenizer,
                "note": one.note,
                "rest": one.rest,
                "words": [
                    {
                        "word": word.change.word,
                        "more": word.change.more,
                        "times": [word.change.before.times, word.change.after.times],
                        "tokens": [word.change.before.tokens, word.change.after.tokens],
                        "pieces": [piece.hex() for piece in word.pieces],
                        "why": [*word.why, *([word.reason] if word.reason else [])],
                    }
                    for word in one.words
                ],
            }
            for one in checked.explained
        ],
    }
