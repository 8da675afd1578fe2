"""`tokviz check`: files against the budgets and counts of a baseline, and tokenizers against their fingerprints.

Which words cost more is known where git has the old texts: those of the commit that changed the baseline last, or of
`--since`, whose baseline then also has the old counts.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from tokviz import files
from tokviz.cli import baseline as baselines
from tokviz.cli import check_report, git
from tokviz.cli.checking import checked
from tokviz.cli.count import Budgets, count_files
from tokviz.cli.inputs import Json
from tokviz.cli.terminal import print_json, print_out
from tokviz.errors import InputError
from tokviz.same import fingerprint
from tokviz.wording import printable


def check(
    baseline: Annotated[
        Path, typer.Option("--baseline", metavar="FILE", help="What `tokviz count --baseline` wrote.")
    ] = baselines.DEFAULT,
    budget: Budgets = None,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="REVISION", help="Compare with this revision in git, and its baseline."),
    ] = None,
    update: Annotated[
        bool, typer.Option("--update", help="Write the new counts, tokenizers and budgets into the baseline.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Check files against their budgets, and tokenizers against what they were. The report is Markdown.

    The exit code is 1 if a file has more tokens than its budget, if a tokenizer changed, or if a file can no longer be
    counted; and 2 after an error. `tokviz count PATH... -t NAME --baseline FILE` writes the first baseline.
    """
    kept = baselines.read(baseline)
    kept = replace(kept, budgets={**kept.budgets, **baselines.budgets_in(budget or ())})
    folder = baseline.parent
    toks = {name: baselines.tokenizer_at(folder, name) for name in kept.tokenizers}
    # absolute, so that a file that is named - is not standard input
    found = [path for path in (folder.absolute() / path for path in kept.paths) if path.exists()]
    if not found:
        raise InputError(f"None of the paths of {baseline} exists.", "Call `tokviz count --baseline` with other paths.")
    counted, skipped = count_files(found, toks, baseline)
    now = {baselines.path_from(folder, Path(one.path)): one.tokens for one in counted}
    new = replace(kept, tokenizers={name: fingerprint(tok) for name, tok in toks.items()}, files=now)
    if since is None:
        then, at = kept, git.last_change(folder, baseline.name)
    else:
        at = git.revision(folder, since)
        there = at.file(baseline.name)
        then = replace(kept, files={}) if there is None else baselines.load(there, f"{baseline} of {since}")
        kept = replace(kept, files=then.files)
    unread = [one for one in skipped if not one.not_utf8]
    if update and unread:
        typer.echo(f"{printable(str(baseline))}: not written, because not every file could be read.", err=True)
    elif update:
        files.write(baseline, baselines.dump(new))
        typer.echo(f"{printable(str(baseline))}: written.", err=True)
        kept = new
    result = checked(kept, then, new, toks, skipped, folder, at)
    if as_json:
        print_json(check_report.as_json(result))
    else:
        print_out(check_report.as_markdown(result))
    if not result.ok:
        raise typer.Exit(1)
