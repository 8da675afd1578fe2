"""What a request of one visitor waits while another floods the socket of Streamlit's pages, from another address:
`python -m tests.benchmarks floods`.

Bar: under each flood, no request waits longer than a second. The floods end by themselves.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import sys
import time

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState

from tests.benchmarks.figures import cpu_seconds, load
from tests.e2e.browser import Server, serving
from tests.load.page import opened
from tests.load.person import Heard, Person
from tests.load.watching import most_memory
from tokviz.ui.server.readable import MESSAGE_BYTES

SPAWN = multiprocessing.get_context("spawn")
MOST_S = 1.0  # the bar
REST_S = 3.0  # how long the server is asked after the flood: what came in time is worked on later


def _rerun() -> bytes:
    """A message of 67 bytes that asks for a run of the page."""
    message = BackMsg()
    message.rerun_script.page_script_hash = "0" * 32
    message.rerun_script.context_info.url = "http://127.0.0.1:8501/train"
    return bytes(message.SerializeToString())


def _states(n_bytes: int) -> bytes:
    """A message with as many values of widgets as so many bytes can hold. Each becomes an object."""
    message = bytes.fromhex("0a00") * (n_bytes // 2)  # `widgets`, an empty one
    for field in ("widget_states", "rerun_script"):
        holder = BackMsg.DESCRIPTOR if field == "rerun_script" else ClientState.DESCRIPTOR
        message = _varint(holder.fields_by_name[field].number << 3 | 2) + _varint(len(message)) + message
    return message


def _varint(number: int) -> bytes:
    low, rest = number & 127, number >> 7
    return bytes([low | 128]) + _varint(rest) if rest else bytes([low])


def messages(flood: str) -> tuple[bytes, int]:
    """A message of this flood, and how often it is sent."""
    match flood:
        case "reruns":
            return _rerun(), 20_000
        case "heartbeats":
            return BackMsg(app_heartbeat=True).SerializeToString(), 200_000
        case "large":
            return _states(24_000_000), 7
        case _:
            return _states(MESSAGE_BYTES - 100), 7


FLOODS = ("reruns", "heartbeats", "large", "largest")


def send(url: str, flood: str, seconds: float, told: multiprocessing.Queue[str]) -> None:
    """Flood a page of one's own for so long at most, in a process of its own. told: gets how that ended."""
    message, times = messages(flood)
    sent = 0

    async def all_of_it() -> str:
        nonlocal sent
        person = Person(url, 500, Heard(), "127.0.0.2")
        await person.arrive()
        async with opened(person, ""), person.socket("/_stcore/stream", "streamlit") as socket:
            reading = asyncio.create_task(_read(socket))
            told.put("begins")
            begun = time.monotonic()
            try:
                async with asyncio.timeout(seconds):
                    for _ in range(times):
                        await socket.send(message)
                        sent += 1
                    out = time.monotonic() - begun
                    await asyncio.sleep(max(0, seconds - out))
            except TimeoutError:
                pass
            except websockets.ConnectionClosed as closed:
                return f"closed: {closed.rcvd.code} {closed.rcvd.reason}" if closed.rcvd else "broken"
            finally:
                reading.cancel()
        return "open to the end"

    end = asyncio.run(all_of_it())
    told.put(f"{sent:,} of {times:,} messages of {len(message):,} bytes went out, {end}")


async def _read(socket: websockets.ClientConnection) -> None:
    async for _ in socket:
        pass


async def waits(server: Server, flood: str, seconds: float) -> tuple[list[float], str]:
    """What each request waits, in seconds, during a flood and a while after it; and how the flood ended."""
    told: multiprocessing.Queue[str] = SPAWN.Queue()
    process = SPAWN.Process(target=send, args=(server.url, flood, seconds, told), daemon=True)
    process.start()
    await asyncio.to_thread(told.get, True, 120)
    other, times, end = Person(server.url, 1, Heard()), [], ""
    last = time.monotonic() + seconds + REST_S
    while time.monotonic() < last or process.is_alive():
        begun = time.monotonic()
        await other.request("GET", "/_stcore/health")
        times.append(time.monotonic() - begun)
        await asyncio.sleep(0.02)
    end = await asyncio.to_thread(told.get, True, 120)
    return times, end


def main() -> None:
    asked = argparse.ArgumentParser(prog="python -m tests.benchmarks floods", description=__doc__)
    asked.add_argument("--seconds", type=float, default=20, help="the longest that a flood goes on")
    asked.add_argument("--floods", nargs="*", default=[*FLOODS], choices=FLOODS)
    said = asked.parse_args()
    missed = 0
    for flood in said.floods:
        with serving(TOKVIZ_SHARED="1") as server:
            times, end = asyncio.run(waits(server, flood, said.seconds))
            holds = max(times) < MOST_S
            missed += not holds
            print(f"  {flood}, {load()}: {end}")
            middle = 1000 * sorted(times)[len(times) // 2]
            print(
                f"    a request of another visitor waited {middle:.0f} ms in the middle, "
                f"{1000 * max(times):,.0f} ms at most, of {len(times)}; "
                f"CPU {cpu_seconds(server):.0f} s, most memory {most_memory(server) / 1e6:,.0f} MB, "
                f"log {len(server.log.read_bytes()):,} bytes"
            )
            print(f"    {'holds ' if holds else 'MISSED'}  none waited longer than {MOST_S:.0f} s", flush=True)
    sys.exit(1 if missed else 0)
