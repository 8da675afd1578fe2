"""This machine in its network: its own addresses, and whether others can reach the server that runs on it."""

from __future__ import annotations

import ipaddress
import socket
from contextlib import closing, suppress

import streamlit as st

# Addresses in the three private networks (RFC 1918) and one of documentation (RFC 5737). A datagram socket that is
# connected to one of them sends nothing, and tells which of this machine's own addresses it would send from.
_ELSEWHERE = ("192.0.2.1", "192.168.255.254", "10.255.255.254", "172.31.255.254")


def means_this_machine(host: str) -> bool:
    """Whether this host is the machine itself, so that no other machine can use it.

    >>> [means_this_machine(host) for host in ("localhost", "127.0.0.1", "::1", "192.0.2.14", "school.example")]
    [True, True, True, False, False]
    """
    if host == "localhost" or host.endswith(".localhost"):
        return True
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False


def listens_to_others() -> bool:
    """Whether other machines can connect to this server, as far as its settings say."""
    address = st.get_option("server.address")  # None and "" stand for all addresses of this machine
    return not address or not means_this_machine(str(address))


def local_addresses() -> list[str]:
    """This machine's own addresses in the networks that it is in, found without sending anything."""
    found: list[str] = []
    for elsewhere in _ELSEWHERE:
        with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as asking, suppress(OSError):
            asking.connect((elsewhere, 9))
            address = asking.getsockname()[0]
            if address not in found and not means_this_machine(address) and address != "0.0.0.0":  # noqa: S104
                found.append(address)
    return found


def address_for_others(host: str) -> str:
    """The address of this machine in its network; "" if `host` is one that others can use, or if they reach no server
    here."""
    own = local_addresses() if means_this_machine(host) and listens_to_others() else []
    return own[0] if own else ""
