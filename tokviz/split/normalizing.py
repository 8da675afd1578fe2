r"""Changes a text before it is cut, as the normalizers of Hugging Face do.

First the special and added tokens are cut out of the typed text, except those of `after`. The steps change each stretch
between them, one after the other. Then the tokens of `after` are cut out of the changed stretches, in which they are
written as the steps write them.

The changed text is the one that tokens cover. A list of offsets says for each of its bytes where in the typed text it
comes from: at the character that was changed, or, for what was put before a text, at the next one. Normal forms are
made for each run of characters that a person sees as one, so that offsets are as near as that.

Source: huggingface/tokenizers, tokenizers/src/normalizers and tokenizer/added_vocabulary.rs. Its tables are older than
those of Python: it leaves the newer characters that Python would change (_NEWER) as they are.
"""

from __future__ import annotations

import base64
import functools
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import regex
from numpy.typing import NDArray

from tokviz.base.arguments import checked_text, shown
from tokviz.base.errors import InputError, SettingError
from tokviz.base.text import clean
from tokviz.split.cutting import byte_offsets, matches_of_stage
from tokviz.split.specials import SpecialIds, Specials, allowed_and_refused, cut_specials, refuse

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
Kind = Literal[Form, "lowercase", "strip left", "strip right", "prepend", "replace", "match", "table"]
Space = Literal["", "each", "first", "always"]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
GROWS, GROWS_BYTES = 16, 1_000  # how many times longer a text may become, and by how many bytes beside that
MOST_STEPS, MOST_CHARACTERS = 16, 1_000  # of a normalizer, and of each text in it
MOST_TABLE, LONGEST_LISTED = 2_000_000, 32  # characters of a table (SentencePiece's have 400,000), and of a text in it

# White space in Rust, which is not that of Python
_SPACES = "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
# Runs that no normal form changes, and what may be one character for a person
_CLUSTERS = regex.compile(r"[\x00-\x7f]+(?=[\x00-\x7f]|$)|\X")
_NEWER = (
    "558 58B-58C 5C8-5C9 7FD 897-89F 8CA-8D3 9FE C3C D3B-D3C EBA 1715 1ABF-1AF0 1DF6-1DFA 209D-209F 32FF A7F1-A7F4 "
    "A82C AB69 105C0-105FF 10781-10785 10787-107B0 107B2-107BF 10D24-10D27 10D69-10D6D 10EAB-10EAC 10ECB-10ECF "
    "10EF0-10EFB 10EFD-10EFF 10F46-10F50 10F82-10F85 11070 1133B 11380-113FF 1145E 11839-1183A 11900-1195F 119E0 "
    "11A34 11A47 11A99 11D42 11D44-11D45 11D97 11F41-11F42 16100-1613F 16D40-16D7F 16FF0-16FF1 1B123-1B126 "
    "1CCD6-1CCF9 1D127-1D128 1D250-1D252 1D25B-1D25C 1D25F 1D280-1D281 1D6A6 1DF95 1DFCD-1DFFF 1E030-1E06D 1E08F "
    "1E130-1E136 1E2AE 1E2EC-1E2EF 1E4EC-1E4EF 1E5EE-1E5EF 1E6E3 1E6E6 1E6EE-1E6EF 1E6F5 1F16C 1FBF0-1FBF9"
)
MOST_MARKS = 500
_MANY_MARKS = regex.compile(rf"\p{{M}}{{{MOST_MARKS}}}")
_RUNS = ("-".join(chr(int(end, 16)) for end in run.split("-")) for run in _NEWER.split())
_INERT = regex.compile(f"([{''.join(_RUNS)}])")
# Small letters that Python makes otherwise: Σ at the end of a word, and newer ones. Both make İ two characters
_SMALL = {0x3A3: 0x3C3, 0x1C89: 0x1C8A, 0xA7CB: 0x264, 0xA7DC: 0x19B}
_SMALL |= {large: large + 1 for large in (0xA7CC, 0xA7CE, 0xA7D2, 0xA7D4, 0xA7DA)}
_SMALL |= {large: large + 0x20 for large in range(0x10D50, 0x10D66)}
_SMALL |= {large: large + 0x1B for large in range(0x16EA0, 0x16EB9)}


class Step(NamedTuple):
    """Describes a step of a normalizer.

    kind: which change it makes: to a normal form, to small letters, white space off an end, or with `what` and `by`.
    what: the text ("replace") or the regular expression ("match") in whose place it puts `by`; or what to put in the
        place of many texts ("table"), the longest first, as SentencePiece writes it, in base64.
    by: the text that it puts there, or before the text ("prepend").
    """

    kind: Kind
    what: str = ""
    by: str = ""

    @property
    def words(self) -> str:
        """Say in a few words what the step does."""
        match self.kind:
            case "lowercase":
                return "small letters"
            case "strip left" | "strip right":
                return f"white space off the {'beginning' if self.kind == 'strip left' else 'end'}"
            case "prepend":
                return f"{shown(self.by)} before the text"
            case "replace" | "match":
                return f"{shown(self.what)}{' as an expression' * (self.kind == 'match')} becomes {shown(self.by)}"
            case "table":
                return "signs become others, by SentencePiece's table"
        return self.kind


class Normalizer(NamedTuple):
    r"""Describes what is done to a text before it is cut.

    steps: what changes it, one after the other.
    after: the special and added tokens that are cut out after the steps ("normalized" in a tokenizer.json).
    space: where a space is put: before each stretch that begins with none, when all tokens are cut out; before one at
        the beginning of the text; always before the text, before the tokens of `after` are cut out, in which the steps
        put nothing at the ends; or nowhere ("").
    taken_off: how many spaces decoding takes off the beginning of a text.
    before, behind: those that take all white space before or behind them along ("lstrip", "rstrip").
    alone: those that are only cut out where no character of a word is beside them ("single_word").

    >>> text, typed = Normalizer((Step("NFC"), Step("prepend", by="_"))).changed("te\u0301t")
    >>> text, typed.tolist()
    ('_tét', [0, 0, 1, 1, 4])
    """

    steps: tuple[Step, ...] = ()
    after: frozenset[str] = frozenset()
    space: Space = ""
    taken_off: int = 0
    before: frozenset[str] = frozenset()
    behind: frozenset[str] = frozenset()
    alone: frozenset[str] = frozenset()

    @property
    def words(self) -> str:
        """Say what the normalizer does, as a list in words.

        >>> Normalizer((Step("NFC"), Step("replace", " ", "_")), space="each").words
        "NFC; ' ' becomes '_'; a space before each stretch"
        """
        space = [f"a space before {'each stretch' if self.space == 'each' else 'the text'}"] if self.space else []
        late = ["tokens cut out in two steps"] if self.after and not self.steps else []
        wide = [f"white space around {shown(min(self.before | self.behind))}"] if self.before | self.behind else []
        alone = [f"{shown(min(self.alone))} beside no word"] if self.alone else []
        words = [*(step.words for step in self.steps), *space, *late, *wide, *alone]
        return "; ".join(words) or "spaces that decoding takes off"

    @property
    def inside(self) -> Normalizer:
        """Keep the steps that change a piece of a text wherever it is, without those that change the ends of a text."""
        return Normalizer(tuple(step for step in self.steps if not step.kind.startswith(("strip", "prepend"))))

    def changed(self, text: str, aligned: bool = True) -> tuple[str, Ints | None]:
        """Change a text by all steps: the new text; and int32, for each byte of it, the byte of `text` it comes from.

        InputError if the text becomes too long, PatternError if an expression reads it again and again.
        aligned: whether to make the offsets. They are None if not, and where nothing changed.
        """
        now, places = text, None
        most = GROWS * len(text.encode()) + GROWS_BYTES
        for step in self.steps:
            now, moved = _STEPS[step.kind](now, step, aligned, most)
            if len(now.encode()) > most:
                raise _too_long(most)
            if aligned and moved is not None:
                places = moved if places is None else places[moved]
        if not aligned or now == text:
            return now, None
        return now, _in_bytes(text, now, np.arange(len(text) + 1) if places is None else places)

    def cut(
        self,
        text: str,
        special_tokens: SpecialIds,
        allowed_special: Specials,
        disallowed_special: Specials,
        added_tokens: SpecialIds,
        aligned: bool = True,
    ) -> tuple[list[tuple[bytes, int | None]], Ints | None]:
        """Cut the changed text as `cut_stretches` does; find its offsets in the typed one. aligned: as in `changed`.

        >>> normalizer = Normalizer((Step("lowercase"),), space="each")
        >>> cuts, typed = normalizer.cut("A<END>", {"<END>": 256}, "all", (), {})
        >>> cuts, typed.tolist()
        ([(b' a', None), (b'<END>', 256)], [0, 0, 1, 2, 3, 4, 5])
        """
        text, ids = clean(checked_text(text)), {**special_tokens, **added_tokens}
        allowed, refused = allowed_and_refused(special_tokens, allowed_special, disallowed_special)
        found = allowed.union(added_tokens)
        early = {token: token for token in ids if token not in self.after}
        always, late = self.space == "always", _late(self, tuple(token for token in ids if token in self.after))
        pieces: list[tuple[str, str | None, Ints]] = []  # with the place in the typed text of each byte, if aligned
        begin = 0
        for stretch, token in self._widened(_cut(text, early, found, refused, self.alone)):
            now, typed = (stretch, None) if token else self.changed(stretch, aligned)
            typed = _own(now if aligned else "") if typed is None else typed
            if always and not begin and token:
                pieces.append((" ", None, typed[:1]))
            elif always and not begin and now:
                now, typed = f" {now}", np.append(np.int32(0), typed)
            at = 0
            for piece, late_token in (
                self._widened(_cut(now, late, found, refused, self.alone))
                if late and not token
                else [(now, token)] * bool(now)
            ):
                size = len(piece.encode())
                here = typed[at : at + size] + np.int32(begin)
                before_it = self.space == "each" or (self.space == "first" and not pieces)
                if before_it and not late_token and piece[:1] not in ("", " "):
                    piece, here = f" {piece}", np.append(here[:1], here)
                pieces.append((piece, late_token, here))
                at += size
            begin += len(stretch.encode())
        cuts = [(piece.encode(), ids[token] if token else None) for piece, token, _ in pieces] or [(b"", None)]
        if not aligned or "".join(piece for piece, _, _ in pieces) == text:
            return cuts, None
        return cuts, np.concatenate([_own(""), *(here for _, _, here in pieces)])

    def _widened(self, cuts: Iterable[tuple[str, str | None]]) -> Iterable[tuple[str, str | None]]:
        """Give the white space around some tokens to these. cuts: as from `_cut`."""
        if not self.before and not self.behind:
            return cuts
        rows = [*cuts]
        for at, (stretch, token) in enumerate(rows):
            if token in self.before and at and rows[at - 1][1] is None:
                text = rows[at - 1][0]
                kept = text.rstrip(_SPACES)
                rows[at - 1], rows[at] = (kept, None), (text[len(kept) :] + stretch, token)
            if token in self.behind and at + 1 < len(rows) and rows[at + 1][1] is None:
                text = rows[at + 1][0]
                kept = text.lstrip(_SPACES)
                rows[at], rows[at + 1] = (rows[at][0] + text[: len(text) - len(kept)], token), (kept, None)
        return [row for row in rows if row[0]]


@functools.lru_cache(maxsize=16)
def _late(normalizer: Normalizer, tokens: tuple[str, ...]) -> Mapping[str, str]:
    """Map what the steps make of each token to the token. Of two that are written alike, the first counts."""
    alone = normalizer.inside if normalizer.space == "always" else normalizer
    written = {alone.changed(token, False)[0]: token for token in reversed(tokens)}
    return {form: token for form, token in written.items() if form}


def _cut(
    text: str, written: Mapping[str, str], found: frozenset[str], refused: frozenset[str], alone: frozenset[str]
) -> Iterator[tuple[str, str | None]]:
    """Cut a text at tokens: (stretch, the token that it is, or None). SpecialTokenError if one of `refused` is in it.

    written: how a token is written in this text -> the token.
    alone: as in a Normalizer.
    """
    wanted = frozenset(form for form, token in written.items() if token in found)
    alone = frozenset(form for form, token in written.items() if token in alone)
    refuse(text, wanted, frozenset(form for form, token in written.items() if token in refused), alone)
    for stretch, is_token in cut_specials(text, wanted, written.keys() - wanted, alone):
        yield stretch, written[stretch] if is_token else None


# -- the steps: each returns the new text, and for each of its characters, and for its end, the place in the old one
# -- from which it comes; None if no character moves, and perhaps if `aligned` is False


def _form(text: str, step: Step, aligned: bool, most: int) -> tuple[str, Longs | None]:
    form: Any = step.kind
    if _MANY_MARKS.search(text):  # Python takes time in proportion to the square of their number
        raise InputError(f"The text has {MOST_MARKS:,} marks in a row on one character.", "Use a text with fewer.")
    if unicodedata.is_normalized(form, text):
        return text, None
    blocks: list[tuple[str, str]] = []
    for number, part in enumerate(_INERT.split(text)):
        whole = part if number % 2 else unicodedata.normalize(form, part)
        near = [(one, unicodedata.normalize(form, one)) for one in _CLUSTERS.findall(part)] if aligned else []
        joined = "".join(now for _, now in near)
        blocks += near if aligned and joined == whole else [(part, whole)]
    return "".join(now for _, now in blocks), _moved(blocks) if aligned else None


def _lowercase(text: str, step: Step, aligned: bool, most: int) -> tuple[str, Longs | None]:
    now = text.translate(_SMALL).lower()
    if len(now) == len(text):
        return now, None
    sizes = [1 + (character == "İ") for character in text]
    return now, np.append(np.repeat(np.arange(len(text)), sizes), len(text))


def _strip(text: str, step: Step, aligned: bool, most: int) -> tuple[str, Longs | None]:
    if step.kind == "strip right":
        now = text.rstrip(_SPACES)
        return now, np.append(np.arange(len(now)), len(text))
    now = text.lstrip(_SPACES)
    return now, np.arange(len(text) - len(now), len(text) + 1)


def _prepend(text: str, step: Step, aligned: bool, most: int) -> tuple[str, Longs | None]:
    return (step.by + text, _moved([("", step.by), (text, text)])) if text else (text, None)


def _replace(text: str, step: Step, aligned: bool, most: int) -> tuple[str, Longs | None]:
    if step.kind == "replace":
        gaps = text.split(step.what)
        matches = [step.what] * (len(gaps) - 1)
    else:
        spans = matches_of_stage(text, step.what).ravel().tolist()
        bounds = [0, *spans, len(text)]
        pieces = [text[start:end] for start, end in pairwise(bounds)]
        gaps, matches = pieces[::2], pieces[1::2]
    if not matches:
        return text, None
    if len(matches) * len(step.by) > most:  # before it is made
        raise _too_long(most)
    kept, changed = [(gap, gap) for gap in gaps], [*((match, step.by) for match in matches), ("", "")]
    return step.by.join(gaps), _moved([*chain(*zip(kept, changed, strict=True))]) if aligned else None


def _by_table(text: str, step: Step, aligned: bool, most: int) -> tuple[str, Longs | None]:
    units, texts, begins = _table(step.what)
    blocks, at, made = list[tuple[str, str]](), 0, 0
    for place in (match.start() for match in begins.finditer(text)):
        size, value = _longest(units, text[place : place + LONGEST_LISTED].encode()) if place >= at else (0, 0)
        if size:
            old = text[place : place + LONGEST_LISTED].encode()[:size].decode()
            now = texts[value : texts.find(b"\0", value)].decode("utf-8", "replace")
            blocks += [(text[at:place], text[at:place]), (old, now)]
            at, made = place + len(old), made + len(now)
            if made > most:  # before it is put together
                raise _too_long(most)
    blocks.append((text[at:], text[at:]))
    return "".join(now for _, now in blocks), _moved(blocks) if aligned else None


def _longest(units: Sequence[int], data: bytes) -> tuple[int, int]:
    """Find the longest text of a table with which these bytes begin: how many they are, and where the new text is."""
    found, node = (0, 0), 0
    try:
        for size, byte in enumerate(b"\0" + data):
            node ^= byte
            if size and units[node] & 0x800000FF != byte:
                break
            unit = units[node]
            node ^= unit >> 10 << (unit >> 6 & 8)
            if unit >> 8 & 1:
                found = size, units[node] & 0x7FFFFFFF
    except IndexError:
        raise _damaged_table() from None
    return found


def _damaged_table() -> SettingError:
    return SettingError("The table of the normalizer is damaged.", "Take it from a file that is whole.")


@functools.lru_cache(maxsize=4)
def _table(written: str) -> tuple[Sequence[int], bytes, Any]:
    """Read a table: a trie in a double array, all new texts, and an expression of where an old one may begin.

    SettingError if it breaks off. Of ASCII, few are old texts by themselves, so that most texts are looked up quickly.

    Source: s-yata/darts-clone, include/darts.h; google/sentencepiece, src/normalizer.cc, DecodePrecompiledCharsMap.
    """
    try:
        data = base64.b64decode(written, validate=True)
        size = int.from_bytes(data[:4], "little")
        units = np.frombuffer(data, "<u4", size // 4, 4).tolist()
    except ValueError:
        raise _damaged_table() from None
    alone = "".join(regex.escape(sign) for sign in map(chr, range(0x80)) if _longest(units, sign.encode())[0])
    return units, data[4 + size :], regex.compile(rf"[{alone}\x80-\U0010ffff]|[\x00-\x7f](?=[^\x00-\x7f])")


_STEPS: Mapping[Kind, Callable[[str, Step, bool, int], tuple[str, Longs | None]]] = {
    **dict.fromkeys(get_args(Form), _form),
    **{"lowercase": _lowercase, "strip left": _strip, "strip right": _strip},
    **{"prepend": _prepend, "replace": _replace, "match": _replace, "table": _by_table},
}


def _too_long(most: int) -> InputError:
    return InputError(
        f"The normalizer makes more than {most:,} bytes of this text, and {GROWS} times as many as it has, and "
        f"{GROWS_BYTES:,}, are the limit.",
        "Use another text, or a tokenizer whose normalizer does not repeat itself.",
    )


def _moved(blocks: Sequence[tuple[str, str]]) -> Longs:
    """Find where each new character, and the end, comes from: int64. A changed block is all from its start."""
    olds = np.array([len(old) for old, _ in blocks], np.int64)
    news = np.array([len(new) for _, new in blocks], np.int64)
    same = np.array([old == new for old, new in blocks], np.bool_)
    starts = np.cumsum(olds) - olds
    return np.append(np.repeat(starts, news) + np.where(np.repeat(same, news), _within(news), 0), olds.sum())


def _own(text: str) -> Ints:
    """Number the bytes of a text from 0: int32."""
    return np.arange(len(text.encode()), dtype=np.int32)


def _within(sizes: Longs) -> Longs:
    """Number the places within each of some blocks of these sizes from 0: int64."""
    return np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)


def _in_bytes(text: str, now: str, places: Longs) -> Ints:
    """Find for each byte of the new text the byte of the old one it comes from: int32. places: as from `_moved`."""
    widths = np.diff(byte_offsets(now))
    olds = np.append(np.frombuffer(text.encode("utf-32-le"), np.uint32), np.uint32(2**32 - 1))
    same = (olds[places[:-1]] == np.frombuffer(now.encode("utf-32-le"), np.uint32)) & (places[1:] > places[:-1])
    starts = byte_offsets(text)[places[:-1]]
    return (np.repeat(starts, widths) + np.where(np.repeat(same, widths), _within(widths), 0)).astype(np.int32)


def checked_normalizer(normalizer: Normalizer | None, tokens: Iterable[str]) -> Normalizer | None:
    """Return the normalizer itself; None if it does nothing. SettingError if it is none, PatternError as in a pipeline.

    tokens: the special and added tokens, of which `after` names some.
    """
    if normalizer is None:
        return None
    if not isinstance(normalizer, Normalizer):
        raise SettingError(f"The normalizer is {shown(normalizer)}.", "Pass a Normalizer, or None.")
    steps, after, space, taken_off, *wide = normalizer
    if not isinstance(steps, tuple | list) or not all(isinstance(some, frozenset | set) for some in (after, *wide)):
        raise SettingError("The normalizer has no steps.", "Pass a tuple of Step, and for `after` a frozenset.")
    if len(steps) > MOST_STEPS:
        raise SettingError(f"The normalizer has {len(steps):,} steps, and {MOST_STEPS} are the limit.", "Use fewer.")
    for step in steps:
        if not isinstance(step, Step) or step.kind not in get_args(Kind):
            raise SettingError(f"{shown(step)} is no step of a normalizer.", f"Kinds: {', '.join(get_args(Kind))}.")
        for part in (step.what, step.by):
            most = MOST_TABLE if step.kind == "table" else MOST_CHARACTERS
            if clean(checked_text(part)) != part or len(part) > most:
                raise SettingError(
                    f"A step of the normalizer has the text {shown(part)}.",
                    f"Use at most {most:,} whole characters.",
                )
        if step.kind in ("replace", "match") and not step.what:
            raise SettingError("A step of the normalizer replaces an empty text.", "Name the text that it replaces.")
        if step.kind == "table":
            _table(step.what)
        if step.kind == "match":
            matches_of_stage("", step.what)
    unknown = sorted(after.union(*wide).difference(tokens))
    if unknown:
        raise SettingError(
            f"The normalizer names {shown(unknown[0])}, which is no special or added token.", "Leave it out."
        )
    if space not in get_args(Space) or taken_off not in range(MOST_CHARACTERS):
        raise SettingError(
            f"The normalizer has space {shown(space)}, taken_off {shown(taken_off)}.", "Use its defaults."
        )
    return normalizer if normalizer != Normalizer() else None
