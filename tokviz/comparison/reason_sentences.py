"""Says in a sentence why one tokenizer cuts a token of another. `comparison/reasons.py` finds the reasons."""

from __future__ import annotations

from tokviz.base.sentences import Code, SentencePart, pair, plain
from tokviz.base.wording import merge_number, printable, visible
from tokviz.comparison.comparison import Difference
from tokviz.comparison.reasons import Reason
from tokviz.tokenizer.peers import AnyTokenizer

PATTERN_SHOWN = 48  # characters of a split pattern


def quoted(token: bytes) -> str:
    """Put a token in quotation marks, with visible white space.

    >>> quoted(b" the"), quoted(b"\\x1b")
    ('“·the”', '“␛”')
    """
    return f"“{printable(visible(token))}”"


def cause(
    reason: Reason, found: Difference, theirs: AnyTokenizer, ours: AnyTokenizer | None = None
) -> list[SentencePart]:
    """Say what makes tokenizer B, `theirs`, cut a token of A, `ours`: the end of a sentence about B.

    found: the token and its cuts.

    >>> from tokviz import compare, reference
    >>> from tokviz.base.sentences import plain
    >>> both = [reference("gpt2"), reference("cl100k_base")]
    >>> found = compare("2008", both).differences(0, 4)[0]
    >>> plain(cause(found.reasons[0], found, both[1]))
    'its split pattern (cl100k) cuts there.'
    """
    by, parts = reason.by, [*reason.by.parts]
    there = by.token or b""
    match reason.kind:
        case "split":
            pattern = str(by.pattern)
            pattern = pattern if len(pattern) <= PATTERN_SHOWN else f"{pattern[:PATTERN_SHOWN]}…"
            return ["its split pattern (", Code(printable(pattern)), ") cuts there."]
        case "special":
            text = there.decode("utf-8", "replace")
            is_added = any(text in one.added_tokens for one in (theirs, ours) if one)
            kind = "an added token" if is_added else "a special token"
            return [there, f" is {kind}, which is taken out before any merge."]
        case "absent":
            return ["it has no such token."]
        case "taken":
            used = parts[1] if by.at == found.start else parts[0]
            when = "ran further left" if by.rank == theirs.rank_of(reason.token) else "ran first"
            merge = f"it has the token, but its {merge_number(by.rank or 0)} ("
            return [merge, *pair(*parts), f") {when} and used up ", used, "."]
        case "unreachable":
            made: list[SentencePart] = []
            for one in parts:
                made += [" ", one] if made else [one]
            if by.looked_up:
                return ["it has the token only as a whole chunk, and makes ", *made, " here."]
            return ["it has the token, but its merges make ", *made, " of these bytes."]
        case "normalizer":
            return ["a normalizer changes ", there, " before it is cut."]
        case "other model":
            what = f"a token of {theirs.kind}" if theirs.kind else "which no merge made"
            return ["it has ", there, f" there, {what}."]


def sentence(
    reason: Reason, found: Difference, names: list[str], theirs: AnyTokenizer, ours: AnyTokenizer | None = None
) -> str:
    """Say why tokenizer B, `theirs`, has a boundary inside a token of A, `ours`, in words without control characters.

    >>> from tokviz import compare, reference
    >>> both = [reference("gpt2"), reference("cl100k_base")]
    >>> found = compare("2008", both).differences(0, 4)[0]
    >>> sentence(found.reasons[0], found, ["gpt2", "cl100k_base"], both[1])
    'cl100k_base cuts “2008” of gpt2: its split pattern (cl100k) cuts there.'
    """
    why = [quoted(part) if isinstance(part, bytes) else part for part in cause(reason, found, theirs, ours)]
    return f"{printable(names[found.b])} cuts {quoted(reason.token)} of {printable(names[found.a])}: {plain(why)}"
