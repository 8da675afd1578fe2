"""`tokviz compare`: cuts one text with several tokenizers, and says why they differ."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import numpy as np
import typer

from tokviz.base.wording import count_of, printable, rate
from tokviz.cli.inputs import STDIN, FileArgument, Json, Repair, Special, TokenizerNames, read_input, tokenizers_named
from tokviz.cli.terminal import print_json, print_out, table
from tokviz.comparison.comparison import Comparison, compare
from tokviz.comparison.reason_sentences import quoted, sentence
from tokviz.tokenizer.encoding import Encoding


def compare_files(
    tokenizer: TokenizerNames,
    file: FileArgument = STDIN,
    first: Annotated[
        int, typer.Option("--first", "-n", metavar="N", min=0, help="Explain the first N places where they differ.")
    ] = 5,
    special: Special = False,
    repair: Repair = False,
    as_json: Json = False,
) -> None:
    """Compare tokenizers on a text, and say why they differ.

    Prints how many tokens each needs, and the first places where they cut the text differently, with the reasons.
    """
    toks = tokenizers_named(tokenizer)
    if len(toks) < 2:
        raise typer.BadParameter("Name at least two different tokenizers.", param_hint="--tokenizer")
    text = read_input(file, repair).text
    compared = compare(text, toks.values(), "all" if special else ())
    names = [*toks]
    shown = [compared.bounds[i].tolist() for i in range(min(first, len(compared.bounds)))]
    if as_json:
        print_json(_as_json(compared, names, shown))
        return
    rows = [
        [f"{len(encoding):,}", rate(_per_token(encoding)), name]
        for name, encoding in zip(names, compared.encodings, strict=True)
    ]
    print_out(table(["tokens", "bytes per token", "tokenizer"], rows))
    print_out(f"\n{_finding(len(compared.bounds), len(shown))}")
    for start, end in shown:
        print_out("\n" + "\n".join(_explained(compared, names, start, end)))


def _per_token(encoding: Encoding) -> float | None:
    return len(encoding.data) / len(encoding) if len(encoding) else None


def _finding(regions: int, shown: int) -> str:
    if not regions:
        return "They agree on every boundary."
    found = f"They disagree in {count_of(regions, 'place')}."
    return found if shown in (0, regions) else f"{found} The first {shown if shown > 1 else 'one'}:"


def _explained(compared: Comparison, names: list[str], start: int, end: int) -> list[str]:
    """Write the lines about one disagreement: the tokens of each tokenizer, and the reasons."""
    line = compared.encodings[0].data.count(b"\n", 0, start) + 1
    width = max(len(printable(name)) for name in names)
    lines = [f"line {line:,}, bytes {start:,} to {end:,}"]
    for name, encoding in zip(names, compared.encodings, strict=True):
        tokens = " ".join(quoted(token) for token in _tokens(encoding, start, end))
        lines.append(f"  {printable(name):<{width}}  {tokens}")
    for found in compared.differences(start, end):
        toks = compared.tokenizers[found.b], compared.tokenizers[found.a]
        lines += [f"  {sentence(reason, found, names, *toks)}" for reason in found.reasons]
    return lines


def _tokens(encoding: Encoding, start: int, end: int) -> list[bytes]:
    """List the tokens of bytes start to end, which are boundaries."""
    first, last = np.searchsorted(encoding.ends, [start, end], side="right").tolist()
    ends = encoding.ends[first:last].tolist()
    return [encoding.data[begin:stop] for begin, stop in zip([start, *ends], ends, strict=False)]


def _as_json(compared: Comparison, names: list[str], shown: list[list[int]]) -> dict[str, Any]:
    return {
        "bytes": len(compared.encodings[0].data),
        "tokenizers": [
            {"name": name, "tokens": len(encoding), "bytes_per_token": _per_token(encoding)}
            for name, encoding in zip(names, compared.encodings, strict=True)
        ],
        "disagreements": len(compared.bounds),
        "first": [
            {
                "start": start,
                "end": end,
                "tokens": {
                    name: [token.hex() for token in _tokens(encoding, start, end)]
                    for name, encoding in zip(names, compared.encodings, strict=True)
                },
                "differences": [
                    {
                        "of": names[found.a],
                        "cut_by": names[found.b],
                        "start": found.start,
                        "end": found.end,
                        "cuts": found.cuts,
                        "reasons": [asdict(reason) for reason in found.reasons],
                    }
                    for found in compared.differences(start, end)
                ],
            }
            for start, end in shown
        ],
    }
