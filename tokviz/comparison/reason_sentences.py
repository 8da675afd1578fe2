"""Says in a sentence why one tokenizer cuts a token of another. `comparison/reasons.py` finds the reasons."""

from __future__ import annotations

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
    mine, name, token, by = printable(names[found.a]), printable(names[found.b]), quoted(reason.token), reason.by
    parts = [quoted(part) for part in by.parts]
    match reason.kind:
        case "split":
            pattern = str(by.pattern)
            pattern = pattern if len(pattern) <= PATTERN_SHOWN else f"{pattern[:PATTERN_SHOWN]}…"
            return f"{name} cuts {token} of {mine}: its split pattern ({printable(pattern)}) cuts there."
        case "special":
            special, text = quoted(by.token or b""), (by.token or b"").decode("utf-8", "replace")
            is_added = any(text in one.added_tokens for one in (theirs, ours) if one)
            kind = "an added token" if is_added else "a special token"
            return f"{name} cuts {token} of {mine}: {special} is {kind}, which is taken out before any merge."
        case "absent":
            return f"{name} cuts {token} of {mine}: it has no such token."
        case "taken":
            used = parts[1] if by.at == found.start else parts[0]
            merge = f"its {merge_number(by.rank or 0)} ({parts[0]} + {parts[1]})"
            own = theirs.rank_of(reason.token)
            when = "ran further left" if by.rank == own else "ran first"
            return f"{name} cuts {token} of {mine}: it has the token, but {merge} {when} and used up {used}."
        case "unreachable":
            made = " ".join(parts)
            if by.looked_up:
                return f"{name} cuts {token} of {mine}: it has the token only as a whole chunk, and makes {made} here."
            return f"{name} cuts {token} of {mine}: it has the token, but its merges make {made} of these bytes."
        case "normalizer":
            return f"{name} cuts {token} of {mine}: a normalizer changes {quoted(by.token or b'')} before it is cut."
        case "other model":
            what = f"a token of {theirs.kind}" if theirs.kind else "which no merge made"
            return f"{name} cuts {token} of {mine}: it has {quoted(by.token or b'')} there, {what}."
