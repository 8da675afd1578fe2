"""Proves that two tokenizers are the same, or finds a short text on which they differ, or says how far it searched.

What "the same" covers: every text gets the same ids, with special tokens allowed, with all of them read as text, and
with any choice between; a text that one pattern does not cover is refused by both; and every list of ids decodes to the
same bytes, or is unknown to both. Names, records of the training and time limits do not count.

What a certificate rests on. Encoding takes four steps, and if each is the same function, so is the whole:

1. Special and added tokens are cut out. The same tables, text -> id, do that in the same way.
2. The pattern cuts the rest into chunks. Equal patterns do it equally. Of two unequal ones, their automata decide (see
   `tokviz.split.cut_alike`). A pattern without an automaton can only be certified against itself.
3. Merges join bytes, the lowest rank first. The same list in the same order does the same. A tokenizer that lists pairs
   joins only these; one made of a rank file joins any two tokens whose bytes together are a token. Two of one sort need
   the same list of pairs, or of tokens. Of two sorts, it is enough that every token of the rank file has a pair that
   makes it (see `Vocabulary.last_seams`), and that these pairs are the list: what surrounds a token until it is made
   does not reach into it, so its bytes merge as they do alone, and the last two parts are always this pair. A rank file
   may have tokens that no pair makes (see `tokviz.tokenizer.merge_table`). Which these are and where they appear
   follows from the whole rank file, even if the tokenizer was cut shorter; so both whole files have to be equal.
4. The tokens get ids. The same table does the same, and it decodes the same.

What a difference rests on: both tokenizers really encode the text, and the ids are compared. Unequal tables alone prove
nothing about texts: a merge may never fire, and two orders of merges may do the same. But they prove it about decoding
if an id has other bytes. So if no text is found, such an id is the difference.

The search tries the texts that `tokviz.comparison.suspects` makes of what differs, sorted by length, and then deletes
pieces of a text as long as the difference holds. A shorter text may exist that it did not try.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Literal

import numpy as np

from tokviz.base.arguments import shown
from tokviz.base.errors import InputError, PatternError
from tokviz.base.wording import count_of
from tokviz.comparison import suspects
from tokviz.comparison.comparison import Comparison
from tokviz.formats.bpe_model import NEVER_IN_UTF8
from tokviz.split.cut_alike import CutsCompared, compare_cuts
from tokviz.split.specials import Reading, allowed_special, cut_stretches, special_finder
from tokviz.tokenizer.encoding import SPLIT
from tokviz.tokenizer.peers import with_merges
from tokviz.tokenizer.tokenizer import Tokenizer

DifferenceKind = Literal["special token", "added token", "normalizer", "pattern", "merge", "id"]
TEXTS_OF_A_SORT = 20_000  # tried at most
CHARACTERS_OF_A_SORT = 2_000_000  # in all of them; a token may have millions
RANDOM_TEXTS = 3_000  # of each sort of random texts
SHRUNK_FINELY = 100  # characters; of a longer text, not every piece is tried for a deletion
SHRINKING = 2_000_000  # characters read to shrink such a longer text
TOKENS_SHOWN = 4  # of each tokenizer, in a reason


@dataclass(frozen=True, slots=True)
class Counterexample:
    """Describes what two tokenizers do differently.

    kind: the first of these that holds. "special token": one of them reads one where the other reads another or none.
        "added token": the same of these. "normalizer": they cut other texts. "pattern": where the tokens differ, one
        pattern cuts and the other does not. "merge": the merges make other tokens. "id": equal tokens have other ids.
    text: the shortest text found; None if only decoding differs.
    reading: whether special tokens in it are read as "special" or as "text".
    ids: under each of the two, None if its pattern does not cover the text. If only decoding differs, the id that does.
    why: a sentence about "the first" and "the second".
    """

    kind: DifferenceKind
    text: str | None
    reading: Reading
    ids: tuple[tuple[int, ...] | None, tuple[int, ...] | None]
    why: str


@dataclass(frozen=True, slots=True)
class Sameness:
    """Says whether two tokenizers are the same.

    certificate: the facts that prove it, one a sentence; empty if it is not proven.
    difference: what they do differently, if that was found.
    searched: what was tried, in words and numbers; empty beside a certificate.
    """

    certificate: tuple[str, ...]
    difference: Counterexample | None
    searched: tuple[str, ...]

    @property
    def equal(self) -> bool | None:
        """True: proven for every text. False: a difference was found. None: neither; `searched` says how far."""
        return True if self.certificate else None if self.difference is None else False


def same(a: Tokenizer, b: Tokenizer) -> Sameness:
    """Prove that two tokenizers are the same, or find the shortest text on which they differ.

    The module says what "the same" covers. SettingError if one of the two is no tokenizer.

    >>> hug = Tokenizer("hug", [(117, 103), (104, 256)])
    >>> same(hug, hug.renamed("copy")).equal
    True
    >>> found = same(hug, hug.truncated(257)).difference
    >>> found.kind, found.text, found.ids
    ('merge', 'hug', ((257,), (104, 256)))
    """
    for one in (a, b):
        with_merges(one)
    cuts = None if a.pattern == b.pattern else compare_cuts(*sorted([a.pattern, b.pattern]))
    cut_alike = a.special_tokens == b.special_tokens and a.added_tokens == b.added_tokens
    changed_alike = a.normalizer == b.normalizer
    if cut_alike and changed_alike and _same_tokens(a, b):
        if a.pattern == b.pattern:
            return Sameness((*_facts(a), "Both have the same split pattern."), None, ())
        if cuts is not None and cuts.alike:
            alike = f"The patterns cut every text alike: all {cuts.pairs:,} pairs of states of their automata do."
            return Sameness((*_facts(a), alike), None, ())
    search = _Search(a, b)
    changed = suspects.changed_tokens(a, b)
    if not cut_alike:
        search.try_all(suspects.specials(a, b), "with special tokens that are not the same")
    if not changed_alike:
        search.try_all(suspects.normalized(a, b), "that the normalizers may change differently")
    if a.lacks != b.lacks:
        signs = (*map(chr, range(0x80)), *"éß語ख🎉", chr(0x40000), chr(0xF0000))
        lacking = (sign * n for sign in signs for n in (1, 2))
        search.try_all(lacking, "with characters that one may have no token for")
    if changed:
        texts = (text for token in changed for text in suspects.as_texts(token))
        search.try_all(texts, f"made of {count_of(len(changed), 'token')} with no equal in the other")
    if cuts is not None:
        search.try_cuts(cuts)
    elif a.pattern != b.pattern:
        search.searched.append("No automaton of both patterns, so nothing is proven about where they cut.")
        search.try_all(islice(suspects.texts(a, b), 5_000), "from the shortest tokens")
    if search.best is None:
        if changed:
            search.try_all(suspects.neighbours(a, b, changed), "of such tokens and what competes with them")
        likely = [text for token in changed[:200] for text in islice(suspects.as_texts(token), 2)]
        likely += [] if cuts is None else cuts.texts[:50]
        search.try_all(suspects.mixes(a, b, likely, RANDOM_TEXTS), "mixed at random from such pieces and other tokens")
    return Sameness((), search.difference() or _in_decoding(a, b), tuple(search.searched))


def _same_tokens(a: Tokenizer, b: Tokenizer) -> bool:
    """Do the same merges, in the same order, make the same ids? See step 3 above; False if that is not proven."""
    same_ids = np.array_equal(a.alphabet, b.alphabet) and np.array_equal(a.merge_ids, b.merge_ids)
    if not same_ids or a.vocab != b.vocab or (a.in_characters, a.units) != (b.in_characters, b.units):
        return False
    if a.lacks != b.lacks and not NEVER_IN_UTF8.issuperset(a.lacked):
        return False
    if a.lookups or b.lookups:
        return a.by_bytes and b.by_bytes and a.rank_file == b.rank_file
    return (a.by_bytes and b.by_bytes) or a.merges == b.merges


def _facts(a: Tokenizer) -> tuple[str, ...]:
    merges, unmade = count_of(len(a.merge_ids), "merge"), count_of(len(a.lookups), "token")
    specials, added = count_of(len(a.special_tokens), "special token"), count_of(len(a.added_tokens), "added token")
    return (
        "Both give the 256 bytes the same ids.",
        f"Both have the same {merges}, in the same order and with the same ids.",
        *([f"Both have the same {unmade} that no pair of tokens makes, and look them up alike."] if a.lookups else []),
        f"Both have the same {specials}, with the same ids." if a.special_tokens else "Neither has special tokens.",
        *([f"Both have the same {added}, with the same ids."] if a.added_tokens else []),
        *([f"Both have the same normalizer: {a.normalizer.words}."] if a.normalizer else []),
    )


class _Search:
    """Keeps the shortest text found so far, and what was tried."""

    def __init__(self, a: Tokenizer, b: Tokenizer) -> None:
        self.a, self.b = a, b
        self.best: str | None = None
        self.searched: list[str] = []
        tokens = frozenset(a.special_tokens) | frozenset(b.special_tokens)
        self.find_special = special_finder(tokens).search if tokens else lambda text: None

    def try_all(self, texts: Iterable[str], what: str) -> None:
        """Try texts, the shortest first, until one is as long as the best or differs."""
        tried = 0
        for text in sorted(_some_of(texts), key=_size):
            if self.best is not None and _size(text) >= _size(self.best):
                break
            tried += 1
            if self._reading(text) is not None:
                self.best = self._shrunk(text)
                break
        self.searched.append(f"{count_of(tried, 'text')} {what}.")

    def try_cuts(self, cuts: CutsCompared) -> None:
        """Try texts that the patterns cut differently, if there are any."""
        if not cuts.texts:
            how = "every text" if cuts.complete else f"every text of up to {count_of(cuts.length, 'character')}"
            self.searched.append(f"The two patterns cut {how} alike.")
        elif self.best is None or _size(self.best)[0] > len(cuts.texts[0]):  # else none of them is shorter
            shortest = f"the shortest has {count_of(len(cuts.texts[0]), 'character')}"
            texts = suspects.across_cuts(self.a, self.b, cuts, RANDOM_TEXTS)
            self.try_all(texts, f"that the patterns may cut differently, of which {shortest}")

    def difference(self) -> Counterexample | None:
        """Describe what differs on the best text, and why; None if there is no such text."""
        if self.best is None or (reading := self._reading(self.best)) is None:
            return None
        ids = _ids(self.a, self.best, reading), _ids(self.b, self.best, reading)
        kind, why = _kind_and_why(self.a, self.b, self.best, reading, ids)
        return Counterexample(kind, self.best, reading, ids, why)

    def _reading(self, text: str) -> Reading | None:
        """Find the reading of special tokens under which the ids of a text differ; None if there is none."""
        readings: tuple[Reading, ...] = ("special", "text") if self.find_special(text) else ("text",)
        return next((how for how in readings if _ids(self.a, text, how) != _ids(self.b, text, how)), None)

    def _shrunk(self, text: str) -> str:
        """Delete pieces of a text, long ones first, while a difference remains. Of a long text, only few are tried."""
        size, work = len(text) - 1, 0
        while size > 0 and work < SHRINKING:
            fine = len(text) <= SHRUNK_FINELY
            starts = range(0, len(text) - size + 1, 1 if fine else size)
            work += 0 if fine else len(starts) * len(text)
            pieces = (text[:start] + text[start + size :] for start in starts)
            less = next((less for less in pieces if self._reading(less) is not None), None)
            if less is not None:
                text, size = less, len(less)
            size = size - 1 if fine else size // 2
        return text


def _some_of(texts: Iterable[str]) -> set[str]:
    """Return the first of these texts, within the limits."""
    some: set[str] = set()
    characters = 0
    for text in islice(texts, TEXTS_OF_A_SORT):
        some.add(text)
        characters += len(text)
        if characters > CHARACTERS_OF_A_SORT:
            break
    return some


def _size(text: str) -> tuple[int, str]:
    return len(text.encode()), text


def _ids(tok: Tokenizer, text: str, reading: Reading) -> tuple[int, ...] | None:
    """Return the ids of a text; None if the pattern does not cover it."""
    try:
        return tuple(tok.encode(text, allowed_special(reading), disallowed_special=()))
    except (PatternError, InputError):  # a normalizer may make a text too long
        return None


def _kind_and_why(
    a: Tokenizer, b: Tokenizer, text: str, reading: Reading, ids: tuple[object, object]
) -> tuple[DifferenceKind, str]:
    allowed = allowed_special(reading)
    found_a, found_b = (cut_stretches(text, tok.special_tokens, allowed, (), tok.added_tokens) for tok in (a, b))
    if found_a != found_b:
        kind = _cut_kind(a, b, [id for _, id in (*found_a, *found_b) if id is not None])
        either = kind == "special token" and (a.added_tokens or b.added_tokens)
        what = "special or added tokens" if either else f"{kind}s"
        return kind, f"The first reads the {what} {_named(found_a)}, the second {_named(found_b)}."
    for which, found in zip(("first", "second"), ids, strict=True):
        if found is None:
            return "pattern", f"The pattern of the {which} does not cover this text."
    of_a, of_b = (tok.explain(text, allowed) for tok in (a, b))
    if of_a.data != of_b.data:
        made_a, made_b = shown(of_a.data.decode()), shown(of_b.data.decode())
        return "normalizer", f"The first changes this text to {made_a} before it cuts it, the second to {made_b}."
    compared = Comparison((a, b), (of_a, of_b))
    if not compared.regions:
        token = next(i for i, (one, other) in enumerate(zip(of_a.ids, of_b.ids, strict=True)) if one != other)
        start, end = [0, *of_a.ends.tolist()][token : token + 2]
        id_a, id_b = ("none" if (id := ids[token]) < 0 else id for ids in (of_a.ids, of_b.ids))
        ids_here = f"{id_a} under the first and {id_b} under the second"
        return "id", f"The id of {shown(of_a.data[start:end])} is {ids_here}."
    start, end = compared.regions[0]
    cut_a, cut_b = (encoding.seams[start + 1 : end] == SPLIT for encoding in (of_a, of_b))
    if (cut_a != cut_b).any():
        place = start + 1 + int(np.flatnonzero(cut_a != cut_b)[0])
        who, other = ("first", "second") if cut_a[place - start - 1] else ("second", "first")
        return "pattern", f"The pattern of the {who} cuts before byte {place}, that of the {other} does not."
    made = [
        _listed([shown(token.data) for token in encoding.tokens() if start <= token.start < end], " ")
        for encoding in (of_a, of_b)
    ]
    return "merge", f"The first merges {made[0]}, the second {made[1]}."


def _cut_kind(a: Tokenizer, b: Tokenizer, ids: Iterable[int]) -> Literal["special token", "added token"]:
    return "special token" if any(id in tok.special_ids for tok in (a, b) for id in ids) else "added token"


def _named(found: list[tuple[bytes, int | None]]) -> str:
    return _listed([f"{shown(data.decode())} ({id})" for data, id in found if id is not None], ", ") or "(none)"


def _listed(names: list[str], between: str) -> str:
    rest = len(names) - TOKENS_SHOWN
    return between.join(names[:TOKENS_SHOWN]) + (f" and {rest:,} more" if rest > 0 else "")


def _in_decoding(a: Tokenizer, b: Tokenizer) -> Counterexample | None:
    """Find the lowest id that decodes differently; None if there is none."""
    different = [id for id in a.vocab.keys() | b.vocab.keys() if a.vocab.get(id) != b.vocab.get(id)]
    if not different:
        return None
    id = min(different)
    mine, theirs = (shown(tok.vocab[id]) if id in tok.vocab else "nothing" for tok in (a, b))
    kind: DifferenceKind = "id" if "nothing" not in (mine, theirs) else "merge"
    if any(id in tok.cut_ids for tok in (a, b)):
        kind = _cut_kind(a, b, [id])
    why = f"The id {id} decodes to {mine} in the first and to {theirs} in the second. No text was found that shows it."
    return Counterexample(kind, None, "text", ((id,), (id,)), why)
