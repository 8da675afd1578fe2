"""Fuzzing, for as long as one likes: `python -m tests.fuzz --minutes 60 [--seed 1] [PART ...]`.

It draws new examples for properties that the suite holds for a few: the core, formats, patterns, links and messages of
sockets. Each part runs in a process of its own, so that a crash, or an example that takes longer than five seconds,
ends the part and not the fuzzing. Everything found is printed with the seed that finds it again.

No time of a match is longer here than a second; in the app a match of an own pattern may take five
(see `tokviz/ui/server/limits.py`).
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from hypothesis import given, is_hypothesis_test
from hypothesis import strategies as st

from tokviz.rehearsal import STAGES

HANG_S = 5.0  # of the processor, for one example
STUCK_S = 60.0  # in which an example waits for something else than the processor: a deadlock
ROUND = 25  # examples drawn from one seed
LOOK_S = 0.2
SHOWN = 5  # of what is found in a process; the rest is counted

Heartbeat = Callable[[], None]


class Property(NamedTuple):
    """Something that must hold. hold: draws and checks a round of examples from this seed, and beats at each."""

    name: str
    hold: Callable[[int, Heartbeat], None]


Part = Callable[[], list[Property]]  # makes the properties of a part, in the process of the part


# -- the properties --


def drawn(test: Any) -> Property:
    """A property of the suite that Hypothesis draws examples for."""
    check = test.hypothesis.inner_test

    def told(*args: Any, **named: Any) -> None:
        try:
            check(*args, **named)
        except Exception as fault:
            fault.add_note(f"The example: {[*args, *named.values()]!r}"[:2_000])
            raise

    test.hypothesis.inner_test = told

    def hold(seed: int, beat: Heartbeat) -> None:
        chance = random.Random(seed)
        for _ in range(ROUND):
            beat()
            test.hypothesis.fuzz_one_input(chance.randbytes(chance.choice([50, 500, 5_000])))

    return Property(test.__name__, hold)


def _all_drawn(module: ModuleType) -> list[Property]:
    """Every property of a test module that has no argument but what is drawn."""
    tests = [value for name, value in vars(module).items() if name.startswith("test_")]
    return [drawn(test) for test in tests if is_hypothesis_test(test) and not hasattr(test, "pytestmark")]


def core() -> list[Property]:
    """Trainings against the naive trainer; encodings against tiktoken, and back; what is saved comes back."""
    from tests import test_encoding, test_live_text, test_saving, test_training
    from tests.strategies import PATTERNS, TIES, wild_texts
    from tokviz.base.text import clean

    @given(st.sampled_from(PATTERNS), st.sampled_from(TIES), wild_texts)
    def trained_on_wild_text(pattern: str, tie: str, text: str) -> None:
        test_training.assert_equals_naive(test_training.Setting((clean(text),), 30, pattern, tie=tie))

    @given(st.sampled_from(["gpt2", "cl100k_base", "o200k_base"]), wild_texts)
    def ids_of_tiktoken(name: str, text: str) -> None:
        test_encoding.assert_same_ids(name, clean(text))  # tiktoken itself refuses half of a character here

    more = [drawn(trained_on_wild_text), drawn(ids_of_tiktoken)]
    return more + [
        one for module in (test_training, test_encoding, test_saving, test_live_text) for one in _all_drawn(module)
    ]


def formats() -> list[Property]:
    """Damaged files of every format: refused, or sound."""
    from tests import test_formats_damage as damage
    from tokviz.formats import FORMATS

    def damaged(format: str) -> Property:
        say = {field: damage.SAY[field] for field in FORMATS[format].asks}

        def hold(seed: int, beat: Heartbeat) -> None:
            for files in damage.mutations(format, ROUND, seed):
                beat()
                damage.assert_refused_or_sound(files, say)

        return Property(f"damaged {format}", hold)

    return [damaged(format) for format in damage.LOADED]


def patterns() -> list[Property]:
    """Split patterns of every kind: the chunks are the text, or the error says why not."""
    from tests import test_automaton, test_cutting
    from tokviz.base.errors import InputError, PatternError
    from tokviz.split.cutting import cut
    from tokviz.ui.frame.tokenizers import reference_table
    from tokviz.vocabulary.search import search

    def wild(seed: int, beat: Heartbeat) -> None:
        chance = random.Random(seed)
        for _ in range(ROUND):
            beat()
            pattern, text = wild_pattern(chance), "".join(chance.choices(_TEXTS, k=chance.randint(0, 12)))
            try:
                ends = cut(text, pattern).tolist()
            except PatternError as fault:
                if not fault.what or not str(fault).isprintable():
                    raise AssertionError(f"{pattern!r}: {fault!s}") from None
                continue
            if sorted(set(ends)) != ends or (ends[-1] if ends else 0) != len(text.encode("utf-8", "replace")):
                raise AssertionError(f"{pattern!r} does not cover {text!r}: {ends}")

    def searched(seed: int, beat: Heartbeat) -> None:
        chance = random.Random(seed)
        table = reference_table("gpt2")
        for _ in range(ROUND):
            beat()
            with contextlib.suppress(InputError):
                search(table, wild_pattern(chance), "pattern", np.ones(len(table), np.bool_))

    more = [Property("wild patterns", wild), Property("searches", searched)]
    return [*more, *_all_drawn(test_cutting), *_all_drawn(test_automaton)]


_TEXTS = [
    "a" * 60 + "!",
    "a",
    "aa",
    " ",
    "\n",
    "\r\n",
    "b9",
    "é",
    "日本",
    "👍🏽",
    "\0",
    "\u2028",
    "ſK",
    "x" * 500,
]
_PIECES = (
    *r"ab .^$\|()[]{}?*+-,!=<>:#'0é日",
    *r"\w \W \d \s \S \b \B \X \R \K \G \1 \p{L} \P{Lu} \x41 \N{DIGIT ONE} [^a] [a-z&&[^b]] [[:alpha:]]".split(),  # noqa: SIM905 (a list would be five times as long)
    *"(?: (?= (?! (?<= (?<! (?> (?i) (?i: (?s: (?P<x> (?P=x) (?R) (?1) (?|( (?#".split(),  # noqa: SIM905 (a list would be five times as long)
    *"?? *? +? ?+ *+ ++ {2} {2,} {,3} {1,3}+ {1000} {e<=1} {99999999999}".split(),  # noqa: SIM905 (a list would be five times as long)
    "(?:a|aa)+$",
    "(?:a+)+b",
    "(a*)*",
    "|",
    "|[\\s\\S]",
)


def wild_pattern(chance: random.Random) -> str:
    """A regular expression, or something like one, that may fail in any way there is."""
    pattern = "".join(chance.choices(_PIECES, k=chance.randint(1, 12)))
    if chance.random() < 0.5:  # one that has its brackets closed gets further
        pattern += ")" * (pattern.count("(") - pattern.count(")")) + "]" * (pattern.count("[") - pattern.count("]"))
    return pattern + ("|[\\s\\S]" if chance.random() < 0.7 else "")


def sockets() -> list[Property]:
    """Conversations with every socket: each ends in answers or a closed socket, and troubles nobody else."""
    from tests.socket_messages import SOCKETS, Message, conversations, hold

    def held(room: str) -> Property:
        @given(conversations(room))
        def conversation(said: list[Message]) -> None:
            hold(room, said)

        return drawn(conversation)._replace(name=f"the {room} socket")

    return [held(room) for room in SOCKETS]


def links() -> list[Property]:
    """Links: what is said comes back, and what is damaged is named."""
    from tests import test_links

    return _all_drawn(test_links)


PARTS = {part.__name__: part for part in (core, formats, patterns, links, sockets)}


# -- running them --


def work(part: Part, seed: int, place: int, beats: Any, traces: str) -> None:
    """The process of a part: round after round until it is stopped, the first of them from this seed and property."""
    with Path(traces).open("w") as file:
        faulthandler.enable(file)
        faulthandler.register(signal.SIGUSR1, file)
        for stage in STAGES:  # what is compiled now is not counted as an example's time
            stage()
        properties = part()
        while True:
            name, hold = properties[place % len(properties)]

            def beat() -> None:
                beats[0] += 1
                beats[1], beats[2] = time.process_time(), time.monotonic()

            beats[3], beats[4] = seed, place
            try:
                hold(seed, beat)
            except Exception:
                if beats[5] < SHOWN:
                    print(f"\n{part.__name__}, {name}, seed {seed}:\n{traceback.format_exc()[-3_000:]}", flush=True)
                beats[5] += 1
            seed, place = seed + 1, place + 1


def fuzz(part: Part, seconds: float, seed: int) -> tuple[int, int]:
    """Fuzz one part for so long. (examples, things found); each of those was printed."""
    end, examples, found = time.monotonic() + seconds, 0, 0
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        traces = Path(folder, "traces")
        place = 0
        while time.monotonic() < end:
            beats = context.Array("d", 6, lock=False)  # examples, then at the last: cpu, clock, seed, place; failures
            process = context.Process(target=work, args=(part, seed, place, beats, str(traces)), daemon=True)
            process.start()
            while process.is_alive() and time.monotonic() < end and not (said := _stuck(process, beats)):
                time.sleep(LOOK_S)
            crashed = not process.is_alive()
            if crashed or said:
                found += 1
                if not crashed:
                    os.kill(process.pid or 0, signal.SIGUSR1)
                    time.sleep(1)
                what = f"it crashed with exit code {process.exitcode}" if crashed else said
                names = [one.name for one in part()]
                name = names[int(beats[4]) % len(names)]
                print(
                    f"\n{part.__name__}, {name}, seed {beats[3]:.0f}: {what}\n{traces.read_text()[-3_000:]}", flush=True
                )
            process.kill()
            process.join()
            examples, found = examples + int(beats[0]), found + int(beats[5])
            seed, place = int(beats[3]) + 1, int(beats[4]) + 1
    return examples, found


def _stuck(process: Any, beats: Any) -> str:
    """Why the example under way counts as one that hangs; "" if it does not."""
    if not beats[0]:
        return ""
    try:
        state, *_, user, system = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[:13]
    except OSError:
        return ""
    used = (int(user) + int(system)) / os.sysconf("SC_CLK_TCK") - beats[1]
    if used > HANG_S:
        return f"one example has taken {used:.1f} s of the processor"
    waited = time.monotonic() - beats[2]
    return f"one example waits since {waited:.0f} s" if waited > STUCK_S and state != "R" else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all if none is named")
    parser.add_argument("--minutes", type=float, default=60, help="for all parts together")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    asked = parser.parse_args()
    parts = asked.parts or list(PARTS)
    unknown = [part for part in parts if part not in PARTS]
    if unknown:
        parser.error(f"there is no part {unknown[0]}")
    total = 0
    for part in parts:
        examples, found = fuzz(PARTS[part], 60 * asked.minutes / len(parts), asked.seed)
        total += found
        print(f"{part}: {examples:,} examples, {found} found, first seed {asked.seed}", flush=True)
    return 1 if total else 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "limits.toml").write_text("match_seconds = 1.0\n", "utf-8")
        os.environ |= {"TOKVIZ_LIMITS": str(Path(folder, "limits.toml")), "TOKVIZ_SAVED": folder}
        code = main()
    sys.exit(code)
