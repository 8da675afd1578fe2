"""The export of a tokenizer: a format, its files, the proof that they work, and the lines of Python that use them."""

from __future__ import annotations

import io
import weakref
import zipfile
from collections.abc import Mapping
from functools import partial
from itertools import takewhile

import streamlit as st

from tokviz import formats
from tokviz.base.blocks import Block, Cell, Choice, Fold, Line, Mark, Quiet, Table
from tokviz.base.errors import FormatError
from tokviz.base.sentences import Code, Strong
from tokviz.base.wording import count_of, visible
from tokviz.comparison.export import GENERATED, Unequal, Verdict
from tokviz.formats.parts import file_name
from tokviz.formats.snippets import snippet
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.ui.frame.buttons import pressed, say_trouble
from tokviz.ui.frame.progress import ended, progress, settle
from tokviz.ui.frame.say import note, plain
from tokviz.ui.kit.blocks import Press
from tokviz.ui.library.exporting import Written, prove, write
from tokviz.ui.library.state import LibraryState
from tokviz.ui.server import work
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.server.work import Work
from tokviz.ui.tokenview.shown import show

WRITING, PROOF = "library.writing", "library.proof"  # places of work
TEXT_SHOWN = 200  # characters of a probe in the evidence
IN_BADGE = 80  # characters of why nothing was proved
IDS_SHOWN = 6  # ids before and after the first that is unequal
_ZIP_DATE = (1980, 1, 1, 0, 0, 0)  # the same files always make the same zip


@st.fragment  # another format, or the press that starts a proof, sends this part alone
def export(me: Visitor, key: str, tokenizer: Tokenizer) -> None:
    """Draw the formats, the download, the proof and the snippet. key: of the entry."""
    st.subheader("Export", anchor=False)
    written = _written(me, key, tokenizer)
    if not written:
        return
    accepted = [format for format, one in written.items() if not one.refused]
    chosen = me.state(LibraryState).format
    chosen = chosen if chosen in accepted else next(iter(accepted), "")
    _choose(me, tokenizer, written, chosen)
    if not chosen:
        note("warn", "No format can hold this tokenizer exactly.", "Each one above says why.")
        return
    sums = written[chosen].files
    about = (key, chosen, *sums.values(), me.text)  # another file, or another text to try it on, needs another proof
    last = _proof_of(me, about)
    running = last is not None and not last.done_soon()  # asked once, so that button and badge agree
    _take_along(me, tokenizer, chosen, sums, about, running=running)
    if last is not None and running:
        progress(me, last)
    else:
        _proved(last, chosen, sums)
    _snippet(tokenizer, chosen, sums)


def _written(me: Visitor, key: str, tokenizer: Tokenizer) -> Mapping[str, Written]:
    """What each format makes of the tokenizer; {} until that is known, which takes seconds for a large vocabulary."""
    about, last = (key, weakref.ref(tokenizer)), work.of(me, WRITING)
    if last and last.about == about and last.result:
        return dict(last.result)
    wanted = Work(WRITING, about, write(tokenizer))
    settle(me, WRITING, wanted, kept="The formats are not known, so nothing can be exported yet.")
    return wanted.result or {}


def _choose(me: Visitor, tokenizer: Tokenizer, written: Mapping[str, Written], chosen: str) -> None:
    def change(press: Press) -> None:
        me.state(LibraryState).format = press.value

    told = {key: _told(tokenizer, key, one, chosen=key == chosen) for key, one in written.items()}
    options = [(key, told[key]) for key, one in written.items() if not one.refused]
    refused = [line for key, one in written.items() if one.refused for line in told[key]]
    show(
        *([Choice("format", options, chosen, "Format")] if options else []),
        *refused,
        key="library.format",
        on_press=change,
    )


def _told(tokenizer: Tokenizer, key: str, one: Written, *, chosen: bool) -> list[Line]:
    """What a format keeps and loses, or why it is refused."""
    format = formats.FORMATS[key]
    named = any(name.startswith("NAME.") for part in format.parts.values() for name in part.names)
    files = " + ".join(name.removeprefix(file_name(tokenizer, "")) if named else name for name in one.files)
    lines: list[list[Cell]] = [[Strong(format.name), " ", Quiet(files)]]
    if one.refused:
        lines.append([Mark("bad", "refused"), f" {one.refused.what} {one.refused.way_out}".rstrip()])
    else:
        lost = ", ".join(format.lacks(tokenizer))
        lines.append([Mark("good", "keeps"), f" {', '.join(format.keeps(tokenizer))}"])
        lines.append([Mark("warn", "loses"), f" {lost}"] if lost else [Quiet("loses nothing")])
        if chosen and format.remarks(tokenizer):
            lines.append([Quiet(" ".join(format.remarks(tokenizer)))])
    return [Line(line, "text") for line in lines]


def _take_along(
    me: Visitor, tokenizer: Tokenizer, format: str, sums: Mapping[str, str], about: object, *, running: bool
) -> None:
    """Draw the download and the button that starts the proof.

    The download does not start it: a run of the page while the file is made would take the file away.
    """
    names = list(sums)
    name = names[0] if len(names) == 1 else file_name(tokenizer, f"-{format}.zip")
    with st.container(horizontal=True):
        st.download_button(
            f"**Download {plain(name)}**",
            data=partial(download, tokenizer, format),
            file_name=name,
            mime="application/octet-stream",
            on_click="ignore",
            key="library.download",
        )
        st.button(
            "Prove it",
            key="library.prove",
            on_click=pressed,
            args=(me, PROOF, _prove, me, tokenizer, format, about),
            disabled=running,
        )
    say_trouble(me, PROOF)


def download(tokenizer: Tokenizer, format: str) -> bytes:
    """The file of a format; a zip file if the format has several."""
    files = formats.dump(tokenizer, format)
    if len(files) == 1:
        return next(iter(files.values()))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name, _ZIP_DATE), data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _prove(me: Visitor, tokenizer: Tokenizer, format: str, about: object) -> None:
    last = _proof_of(me, about)
    if last is None or last.over:
        work.start(me, Work(PROOF, about, prove(tokenizer, format, me.text)))


def _proof_of(me: Visitor, about: object) -> Work[Verdict | None] | None:
    """The visitor's last proof, if it is about this."""
    last = work.of(me, PROOF)
    return last if last and last.about == about else None


def _proved(last: Work[Verdict | None] | None, format: str, sums: Mapping[str, str]) -> None:
    """Draw what the last proof found, if it was of these very files."""
    if last:
        ended(last)
    verdict = last.result if last else None
    if verdict is not None and dict(verdict.files) != dict(sums):
        verdict = None
    blocks: list[Block] = [Line([outcome(verdict)], "live")]
    if verdict:
        rows = [(Quiet(name), value) for name, value in evidence(verdict, formats.FORMATS[format].title).items()]
        blocks.append(Fold("The evidence", [Table((), rows)]))
    show(*blocks, key="library.evidence", label="Proof of the export")


def outcome(verdict: Verdict | None) -> Mark | Quiet:
    """Say how the proof ended. It claims no more than what was tried."""
    if verdict is None:
        return Quiet("not proved yet")
    if verdict.equal:
        return Mark("good", f"{verdict.judge} reloaded it: {verdict.probes:,} of {verdict.probes:,} probes equal")
    if verdict.unequal:
        place = f"probe {verdict.unequal.probe:,}, byte {verdict.unequal.byte:,}"
        return Mark("bad", f"{verdict.judge} differs at {place}")
    why = verdict.why.rstrip(".")
    return Mark("warn", f"not proved: {why}" if len(why) <= IN_BADGE else "not proved: the evidence says why")


def evidence(verdict: Verdict, title: str) -> dict[str, Cell]:
    """What the outcome is known from, by its name."""
    known: dict[str, Cell] = {}
    if verdict.judge:
        by = ", in a process of its own, from the files and the lines below" if verdict.probes else ""
        known["Judge"] = f"{verdict.judge}{by}"
    files = (part for name, sha in verdict.files.items() for part in ("\n", Code(name), f", sha256 {sha}"))
    known["Files"] = Line([*files][1:], "text")
    if verdict.judge.startswith("tokviz ") and title != formats.FORMATS["tokviz"].title:
        known["Why tokviz"] = f"{title} is no package that can be installed, so tokviz itself read the file again."
    if verdict.probes:
        texts = f"your text, the lines of the samples, {GENERATED:,} generated texts"
        texts += "" if verdict.equal else "; stopped at the first that was unequal"
        known["Probes"] = f"{texts}: {verdict.probes:,} texts, {verdict.n_bytes:,} bytes"
        known["Compared"] = f"{count_of(verdict.n_ids, 'id')}, one by one"
    if verdict.left_out:
        known["Left out"] = f"{count_of(verdict.left_out, 'text')} that the split pattern does not cover"
    if verdict.unequal:
        known |= _unequal(verdict.unequal)
    elif verdict.equal:
        known["Unequal"] = "none"
    else:
        known["Not proved"] = verdict.why
    return known


def _unequal(found: Unequal) -> dict[str, Cell]:
    shown = found.text if len(found.text) <= TEXT_SHOWN else f"{found.text[:TEXT_SHOWN]}…"
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(found.ours, found.theirs, strict=False)))
    place = f"probe {found.probe:,}, from byte {found.byte:,} on: "
    return {
        "Unequal": Line([place, Code(visible(shown.encode()))], "text"),
        "Ids of tokviz": _ids(found.ours, alike),
        "Ids of the judge": _ids(found.theirs, alike),
    }


def _ids(ids: tuple[int, ...], at: int) -> Line:
    """The ids around the first that is unequal, which is marked."""
    before, after = ids[max(at - IDS_SHOWN, 0) : at], ids[at + 1 : at + 1 + IDS_SHOWN]
    first = Mark("bad", str(ids[at])) if at < len(ids) else "(the end)"
    return Line(["".join(f"{id} " for id in before), first, "".join(f" {id}" for id in after)], "text")


def _snippet(tokenizer: Tokenizer, format: str, sums: Mapping[str, str]) -> None:
    st.markdown("**Use it in Python**")
    try:
        lines = snippet(tokenizer, format, list(sums))
    except FormatError as fault:
        st.caption(plain(f"{fault.what} {fault.way_out}"))
        return
    st.code(lines.code, language=None, wrap_lines=True)  # Streamlit's colours for Python have too little contrast
    if lines.note:
        st.caption(plain(lines.note))
