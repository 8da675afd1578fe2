"""The packages of peers in a process of their own: the same answers, its limits, and what becomes of it."""

from __future__ import annotations

import asyncio
import copy
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from tests.benchmarks.foreign import attack, open_greedy
from tests.bounded import bounded
from tests.e2e.browser import Server, serving
from tests.greedy_files import GREEDY
from tests.hostile.files import sentence_piece_rule, sentence_pieces
from tests.load.person import Heard, Person
from tests.pages import app, at, components, notes, open_files, type_on_tokens
from tests.peers_cases import FILES, SPECIALS, file_of, peer
from tests.strategies import wild_texts
from tests.waiting import PATIENCE_S, Held
from tokviz.base.errors import FormatError, InputError, TokvizError
from tokviz.base.text import clean
from tokviz.catalog.references import reference
from tokviz.formats import open_files as open_here
from tokviz.formats import peer_packages as packages
from tokviz.formats.peer_packages import OPEN, WORD_PIECE
from tokviz.tokenizer.live_text import LiveText
from tokviz.tokenizer.peers import Peer
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.ui.server import limits, line, peer_process, work
from tokviz.ui.server.ask import line_of
from tokviz.ui.server.line import ANSWERS, PEERS, TYPING
from tokviz.ui.server.peer_process import Foreign, Worker
from tokviz.ui.server.sizes import size
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.server.work import Progress, Steps, Work
from tokviz.ui.tokenview.socket import ANY_CHUNKS, BY_PACKAGE, NAMED, line_for, rests_above

__all__ = ["app"]

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits memory, and ends children by itself")


@pytest.fixture(autouse=True)
def worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker]:
    """A worker of the test's own, which may meet its end."""
    worker = Worker()
    monkeypatch.setattr(peer_process, "WORKER", worker)
    yield worker
    worker.end()


def away(name: str, data: bytes) -> Peer:
    """The peer in a file, whose package works in the other process."""
    found = open_here({name: data}, reader=peer_process.opened)
    assert isinstance(found, Peer) and isinstance(found.package, Foreign)
    return found


@cache
def away_of(kind: str) -> Peer:
    """Made once: a worker that does not know it gets its file again."""
    return away(*file_of(kind))


def greedy(what: str, monkeypatch: pytest.MonkeyPatch, seconds: float = 1.0, megabytes: int = 1_000) -> Peer:
    """The peer in a greedy file. From now on its process has this much time."""
    monkeypatch.setattr(limits, "FOREIGN_MB", megabytes)
    tok = away("greedy.json", GREEDY[what][0])
    monkeypatch.setattr(limits, "FOREIGN_SECONDS", seconds)
    return tok


def pid_of(worker: Worker) -> int:
    assert worker.pid
    return worker.pid


def gone(pid: int) -> bool:
    """Whether a process ends in a while. One whose parent has not asked for its end yet counts as gone."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize("kind", FILES)
def test_a_file_read_there_is_the_peer_read_here(kind: str) -> None:
    here, there = peer(kind), away_of(kind)
    for field in fields(Peer):
        assert field.name == "package" or getattr(here, field.name) == getattr(there, field.name)


@pytest.mark.parametrize("kind", FILES)
@settings(max_examples=max(30, settings().max_examples // 3))
@given(
    st.lists(st.sampled_from([*SPECIALS, "▁", "##", "The cat", "½ ﬁ", "\n"]) | wild_texts).map("".join), st.booleans()
)
def test_all_answers_from_there_are_those_from_here(kind: str, text: str, specials: bool) -> None:
    here, there, text = peer(kind).package, away_of(kind).package, clean(text)
    ids, places, words = there.cut(text, specials)
    expected = [list(one) for one in here.cut(text, specials)]
    assert [ids, [tuple(place) for place in places], words] == expected and all(type(id) is int for id in ids)
    assert there.normalized(text) == here.normalized(text)
    assert there.decode([*ids]) == here.decode([*ids])
    assert away_of(kind).explain(text) == peer(kind).explain(text)


@pytest.mark.parametrize(
    ("name", "data"),
    [("spiece.model", b"\n\x05\n\x03abc"), ("w.json", b'{"model": {"type": "WordPiece", "vocab": {"a": 0}')],
)
def test_what_a_package_refuses_is_said_as_here(name: str, data: bytes) -> None:
    said = []
    for reader in (packages.opened, peer_process.opened):
        with pytest.raises(FormatError) as refused:
            open_here({name: data}, reader=reader)
        said.append(str(refused.value))
    assert said[0] == said[1]


def test_a_process_that_dies_is_replaced_and_knows_its_tokenizers_again(worker: Worker) -> None:
    tok = away_of("WordPiece")
    ids = tok.encode("The cat.")
    before = pid_of(worker)
    os.kill(before, signal.SIGKILL)
    assert gone(before) and tok.encode("The cat.") == ids == peer("WordPiece").encode("The cat.")
    assert pid_of(worker) != before


def test_tokenizers_that_were_not_used_for_a_while_are_loaded_again() -> None:
    many = [peer_process.opened(WORD_PIECE, f"{n}.txt", f"[UNK]\n{n}".encode())[1] for n in range(OPEN + 2)]
    assert [[*package.cut(str(n), False)[0]] for n, package in enumerate(many)] == [[1]] * len(many)


@pytest.mark.parametrize("what", ["searches again from each letter", "computes for half an hour"])
def test_what_takes_too_long_is_stopped(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tok = greedy(what, monkeypatch, seconds=0.3)
    with pytest.raises(InputError, match=r"tokenizers took more than 0\.3 seconds for this text, and was stopped"):
        (tok.normalized if what.startswith("searches") else tok.explain)(GREEDY[what][1])
    monkeypatch.setattr(limits, "FOREIGN_SECONDS", PATIENCE_S)
    assert len(tok.explain("a b")) == 1  # the process after it


@on_linux
def test_what_takes_too_much_memory_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    tok = greedy("takes 5 GB", monkeypatch, seconds=60, megabytes=100)
    away("words.json", GREEDY["computes for half an hour"][0])  # so that it could be the fault of another
    with pytest.raises(InputError, match="tokenizers needed more than 100 MB of memory for this text, and was stopped"):
        tok.explain(GREEDY["takes 5 GB"][1])
    assert len(tok.explain("b")) == 1


def test_an_answer_may_be_only_so_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "FOREIGN_ANSWER_MB", 1)
    tok = away_of("Unigram")
    with pytest.raises(FormatError, match="The tokens of this text take more than 1 MB"):
        tok.explain("x y z " * 60_000)
    assert len(tok.explain("x y z"))


@pytest.mark.parametrize(
    ("bound", "said"),
    [({"file_tokens": 20}, "has 31 tokens, and 20 are the limit"), ({"vocabulary_mb": 1e-5}, "1e-05 MB")],
)
def test_no_vocabulary_is_larger_than_the_server_allows(
    bound: dict[str, float], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bounded(monkeypatch, **bound)
    with pytest.raises(FormatError, match=said):
        away("many.model", sentence_pieces(30))


def test_a_text_that_a_package_makes_may_be_only_so_large() -> None:
    tok = away("greedy.model", sentence_piece_rule(4_000))
    assert tok.normalized("a").lstrip("▁") == "b" * 4_000
    with pytest.raises(FormatError, match="The text that it makes has more than 8 MB"):
        tok.normalized("a" * 2_100)


def test_others_go_on_while_a_page_or_a_piece_of_work_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    tok = greedy("computes for half an hour", monkeypatch, seconds=PATIENCE_S)
    me, begun = Visitor(), threading.Event()

    def steps() -> Steps[None]:
        begun.set()
        with line.drawing(threading.Semaphore()):
            tok.explain(GREEDY["computes for half an hour"][1])
        yield Progress("never")

    work.start(me, waits := Work("place", None, steps()))
    assert begun.wait(PATIENCE_S)
    line.LINE.join(other := Held("another"))
    assert other.under_way.wait(PATIENCE_S)  # JOBS_AT_ONCE is 1, so the other has its turn although nothing is over
    assert line._pages.acquire(timeout=PATIENCE_S)
    assert not waits.over
    line._pages.release()
    other.end.set()
    peer_process.WORKER.end()
    assert waits.done.wait(PATIENCE_S) and "The server is ending" in str(waits.error)


def test_who_types_or_asks_under_a_peer_takes_no_thread_of_others() -> None:
    tok, gpt2 = peer("WordPiece"), reference("gpt2")
    own = (me := Visitor()).add_peer("own", tok).key
    assert line_for(LiveText([gpt2, tok])) is line_of(me, own) is line_of(me, keys=["gpt2", own]) is PEERS
    assert rests_above(LiveText([gpt2, gpt2])) == NAMED // 2 and rests_above(LiveText([gpt2, tok])) == BY_PACKAGE // 2
    whole = Tokenizer("whole", [], pattern="none")
    assert rests_above(LiveText([gpt2, whole])) == ANY_CHUNKS // 2 and rests_above(LiveText([])) == NAMED
    assert line_for(LiveText([gpt2])) is TYPING and line_of(me, "gpt2") is line_of(me) is ANSWERS


@on_linux
def test_the_process_ends_with_the_one_that_started_it() -> None:
    code = """if True:
        from tests.greedy_files import GREEDY
        from tokviz.formats import open_files
        from tokviz.ui.server import peer_process
        data, text = GREEDY["computes for half an hour"]
        tok = open_files({"x.json": data}, reader=peer_process.opened)
        print(peer_process.WORKER.pid, flush=True)
        tok.explain(text)
    """
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=Path(__file__).parents[1]
    ) as parent:
        assert parent.stdout
        pid = int(parent.stdout.readline())
        time.sleep(0.2)  # so that it computes
        parent.kill()
    assert gone(pid)


def test_the_file_counts_and_a_peer_can_be_copied() -> None:
    tok = away_of("WordPiece")
    assert size(tok) >= size(peer("WordPiece")) + len(file_of("WordPiece")[1])
    assert copy.deepcopy(tok).encode("The cat.") == tok.encode("The cat.")


@pytest.mark.parametrize("what", GREEDY)
def test_the_pages_go_on(what: str, app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    data, text = GREEDY[what]
    open_files(app, ("greedy.json", data))
    monkeypatch.setattr(limits, "FOREIGN_SECONDS", 0.3)
    type_on_tokens(at(app, "tokens"), text)
    assert not app.exception
    (bench,) = components(app, "workbench")
    said = next(block for block in bench["blocks"] if block["name"] == "greedy")
    assert "and was stopped" in json.dumps([said, bench]) + notes(app)
    assert app.session_state["tokviz.visitor"].text == text
    assert not at(app, "compare").exception


@on_linux
def test_a_server_that_is_told_to_end_does_so_while_a_package_computes() -> None:
    what = "computes for half an hour"

    async def begin(server: Server) -> None:
        person = Person(server.url, 1, Heard())
        attacking = asyncio.create_task(attack(person, await open_greedy(person, what), what, set()))
        while not (computing := works(server)) or processor_time(computing) < 1:
            await asyncio.sleep(0.1)
        attacking.cancel()

    def works(server: Server) -> int:
        """The id of the process for packages; 0 if there is none."""
        for children in Path(f"/proc/{server.process.pid}/task").glob("*/children"):
            for pid in children.read_text().split():
                if packages.__file__.encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
                    return int(pid)
        return 0

    def processor_time(pid: int) -> float:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11]) / os.sysconf("SC_CLK_TCK")

    with serving(TOKVIZ_SHARED="1") as server:
        asyncio.run(begin(server))
        pid = works(server)
        server.process.terminate()
        server.process.wait(PATIENCE_S)
        assert gone(pid)


def test_an_error_of_the_worker_is_one_of_tokviz() -> None:
    peer_process.WORKER.end()
    with pytest.raises(TokvizError, match="The server is ending"):
        away(*file_of("WordPiece"))
