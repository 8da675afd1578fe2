"""Reads and writes normalizers as tokenizer.json has them, and decides when its added tokens are searched.

NFC, NFD, NFKC, NFKD, Lowercase, Strip, Prepend and Replace become steps of `tokviz.split.normalizing`. Others are
refused, and so is an expression that `tokenizers` may read otherwise; see `tokviz.formats.hf_split`.
Around SentencePiece's BPE, the normalizer, the pre-tokenizer and the decoder together say what happens to spaces.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from tokviz.base.arguments import shown
from tokviz.base.errors import FormatError
from tokviz.base.json_files import InputFile
from tokviz.formats.characters import AS_SPACE, SPACE, respaced
from tokviz.formats.hf_split import means_the_same, split_pattern
from tokviz.split.cutting import PATTERNS
from tokviz.split.normalizing import Normalizer, Space, Step
from tokviz.split.pipeline import Stage, written
from tokviz.tokenizer.tokenizer import Tokenizer

STRIP = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
Around = tuple[tuple[Step, ...], Space, str, int]  # steps, space, pattern, and how many spaces decoding takes off
_SCHEMES: Mapping[str, Space] = {"always": "each", "first": "first", "never": ""}  # of a Metaspace -> of a Normalizer
MOST_LENGTHS_SQUARED = 2_000_000  # the sum over all added tokens


def steps_in(normalizer: Any, file: InputFile) -> tuple[Step, ...]:
    """Read the steps of a normalizer. FormatError names what tokviz does not honour in it."""
    match normalizer:
        case None:
            return ()
        case {"type": "Sequence", "normalizers": [*steps]}:
            return tuple(one for step in steps for one in steps_in(step, file))
        case {"type": "NFC" | "NFD" | "NFKC" | "NFKD" as form}:
            return (Step(form),)
        case {"type": "Lowercase"}:
            return (Step("lowercase"),)
        case {"type": "Strip", "strip_left": bool(left), "strip_right": bool(right)}:
            return (Step("strip left"),) * left + (Step("strip right"),) * right
        case {"type": "Prepend", "prepend": str(text)}:
            return (Step("prepend", by=text),) if text else ()
        case {"type": "Replace", "pattern": {"String": str(what)}, "content": str(by)} if what:
            return (Step("replace", what, by),)
        case {"type": "Replace", "pattern": {"Regex": str(what)}, "content": str(by)} if means_the_same(what):
            return (Step("match", f"(?:{what})" if what in PATTERNS else what, by),)
    kind = normalizer.get("type", normalizer) if isinstance(normalizer, dict) else normalizer
    raise FormatError(
        f"{file.name} has normalizer {shown(kind)}, which tokviz does not honour.",
        "tokviz reads the normal forms, Lowercase, Strip, Prepend, and Replace without signs that tokenizers may read "
        "otherwise.",
    )


def normalizer_of(steps: Sequence[Step]) -> dict[str, Any] | None:
    """Write steps as a normalizer; None if there are none. FormatError if `tokenizers` might change a text otherwise.

    >>> normalizer_of([Step("NFC")])
    {'type': 'NFC'}
    """
    found = [_written(step) for step in steps]
    return {"type": "Sequence", "normalizers": found} if len(found) > 1 else found[0] if found else None


def _written(step: Step) -> dict[str, Any]:
    match step.kind:
        case "lowercase":
            return {"type": "Lowercase"}
        case "strip left" | "strip right":
            left = step.kind == "strip left"
            return {"type": "Strip", "strip_left": left, "strip_right": not left}
        case "prepend":
            return {"type": "Prepend", "prepend": step.by}
        case "replace":
            return {"type": "Replace", "pattern": {"String": step.what}, "content": step.by}
        case "match":
            if not means_the_same(step.what):
                raise FormatError(
                    f"The normalizer has the expression {shown(step.what)}, which tokenizers may read otherwise.",
                    'Choose the format "tokviz".',
                )
            return {"type": "Replace", "pattern": {"Regex": step.what}, "content": step.by}
        case "table":
            raise FormatError("tokenizers reads SentencePiece's table in another way.", 'Choose the format "tokviz".')
    return {"type": step.kind}


def around_bytes(file: InputFile) -> Around:
    """Read what is around byte-level BPE. FormatError names what tokviz does not honour."""
    pattern, space = split_pattern(file.json.get("pre_tokenizer"), file)
    return steps_in(file.json.get("normalizer"), file), space, pattern, 0


def around_characters(file: InputFile) -> Around:
    """Do as `around_bytes` for SentencePiece's BPE. FormatError names what is not of it."""
    steps, before = steps_in(file.json.get("normalizer"), file), file.json.get("pre_tokenizer")
    taken_off = _taken_off_in(file)
    marked = steps[-1:] == (Step("replace", " ", SPACE),)
    match before:
        case None if marked:
            return respaced(steps, SPACE, " "), "", "none", taken_off
        case {"type": "Split", "pattern": {"String": " "}} if marked:  # it cuts nothing: no space is left
            return respaced(steps, SPACE, " "), "", "none", taken_off
        case {"type": "Metaspace", "replacement": "▁", "prepend_scheme": str(scheme)} if scheme in _SCHEMES:
            pattern = "none" if before.get("split") is False else written([Stage(" ", "merged with next")])
            return (
                (*(respaced(steps, SPACE, " ") if marked else (*steps, AS_SPACE)),),
                _SCHEMES[scheme],
                pattern,
                taken_off,
            )
    kind = before.get("type", before) if isinstance(before, dict) else before
    raise FormatError(
        f"{file.name} has characters and the pre-tokenizer {shown(kind)}, which tokviz does not honour.",
        'tokviz reads such files if they put "▁" in the place of each space.',
    )


def around_of(tokenizer: Tokenizer) -> dict[str, Any]:
    """Write the normalizer, the pre-tokenizer and the decoder of a tokenizer of characters.

    FormatError if a file cannot say what the tokenizer does to a text.
    """
    steps, _, space, taken_off, *_ = tokenizer.normalizer or Normalizer()
    split = tokenizer.pattern == written([Stage(" ", "merged with next")])
    if space == "always" and not tokenizer.cut_tokens:  # as Prepend does
        steps, space = (*steps[:-1], Step("prepend", by=" "), *steps[-1:]), ""
    known = space != "always" and taken_off <= 1 and (split or tokenizer.pattern == "none")
    if steps[-1:] != (AS_SPACE,) or not known:
        raise FormatError(
            f"tokenizers cannot do to a text what {tokenizer.name} does: "
            f"{tokenizer.normalizer.words if tokenizer.normalizer else 'nothing'}.",
            'Choose the format "tokviz".',
        )
    by_marks = not space and not split
    scheme = next((name for name, ours in _SCHEMES.items() if ours == space), "")
    metaspace = {"type": "Metaspace", "replacement": SPACE, "prepend_scheme": scheme, "split": split}
    spaces = {"type": "Replace", "pattern": {"String": SPACE}, "content": " "}
    decoders = [spaces, {"type": "ByteFallback"}, {"type": "Fuse"}, *[STRIP] * taken_off]
    return {
        "normalizer": normalizer_of(respaced(steps, " ", SPACE) if by_marks else steps[:-1]),
        "pre_tokenizer": None if by_marks else metaspace,
        "decoder": {"type": "Sequence", "decoders": decoders},
    }


def _taken_off_in(file: InputFile) -> int:
    """Count the spaces that the decoder of SentencePiece's BPE takes off. FormatError if it is another decoder."""
    match file.json.get("decoder"):
        case {
            "type": "Sequence",
            "decoders": [{"type": "Replace", **how}, {"type": "ByteFallback"}, {"type": "Fuse"}, *rest],
        }:
            if (how.get("pattern"), how.get("content")) == ({"String": SPACE}, " ") and rest in ([], [STRIP]):
                return len(rest)
        case {"type": "Metaspace", "replacement": "▁", "prepend_scheme": str(scheme)}:
            return int(scheme != "never")
    raise FormatError(
        f"{file.name} has characters and a decoder that tokviz does not honour.",
        'It reads "▁" as a space, then bytes, and may take off the first space.',
    )


def apart(tokens: Iterable[str], late: Collection[str]) -> bool:
    """Tell whether no token of `late` can share characters of a text with one that is not of `late`.

    Then one search finds what two searches find. False too if the tokens are so long that the answer takes seconds.

    >>> apart(["<a>", "<b>"], ["<b>"]), apart(["<a>", "a>b"], ["a>b"]), apart(["<a>", "a"], ["a"])
    (True, False, False)
    >>> apart(["x" * 1_000_000], [])
    True
    """
    early, late = {*tokens}.difference(late), {*late}
    if not early or not late:
        return True
    if sum(len(token) ** 2 for token in early | late) > MOST_LENGTHS_SQUARED:
        return False
    for some, others in ((early, late), (late, early)):
        begun = {other[:end] for other in others for end in range(1, len(other) + 1)}
        for token in some:
            for start in range(len(token)):
                ends = range(start + 1, len(token) + 1)
                if token[start:] in begun or any(token[start:end] in others for end in ends):
                    return False
    return True
