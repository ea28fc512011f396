# SPDX-License-Identifier: Apache-2.0
"""capture.py FILE: writes down every packet that arrives in this network namespace, one a line, until it is killed.

PROTOCOL DESTINATION PORT WHAT, with - for what there is not; the first line says that it listens. WHAT is the name that
is asked for (port 53), syn (the beginning of a connection), or the first bytes.
"""
import socket
import struct
import sys

PROTOCOLS = {1: "icmp", 6: "tcp", 17: "udp", 58: "icmp6"}


def name(data):
    labels, at = [], 12
    while at < len(data) and data[at]:
        labels.append(data[at + 1 : at + 1 + data[at]].decode("latin-1"))
        at += data[at] + 1
    return ".".join(labels) or "-"


def words(data):
    return "".join(chr(c) if 32 < c < 127 else "." for c in data[:40]) or "-"


def inner(protocol, data):
    """The port, and what there is to say."""
    if protocol == "tcp" and len(data) >= 20:
        port, begins = struct.unpack(">H", data[2:4])[0], data[13] & 0x12 == 2
        return port, "syn" if begins else "-"
    if protocol == "udp" and len(data) >= 8:
        port = struct.unpack(">H", data[2:4])[0]
        return port, name(data[8:]) if port == 53 else words(data[8:])
    if protocol == "icmp6" and data:
        return "-", f"type{data[0]}"
    return "-", words(data)


def describe(kind, data):
    if kind == 0x0806:
        return f"arp {socket.inet_ntoa(data[24:28])} - -"
    if kind == 0x0800:
        number, to, rest = data[9], socket.inet_ntoa(data[16:20]), data[(data[0] & 15) * 4 :]
    elif kind == 0x86DD:
        number, to, rest = data[6], socket.inet_ntop(socket.AF_INET6, data[24:40]), data[40:]
        if number == 0:  # options for every hop, as reports of groups have them
            number, rest = rest[0], rest[8 * (1 + rest[1]) :]
    else:
        return f"ether {kind:#06x} - {words(data)}"
    protocol = PROTOCOLS.get(number, f"protocol{number}")
    port, what = inner(protocol, rest)
    return f"{protocol} {to} {port} {what}"


def main():
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
    with open(sys.argv[1], "w", encoding="utf-8", buffering=1) as out:
        out.write("listening\n")
        while True:
            data, (interface, _, direction, *_) = s.recvfrom(65535)
            if direction != socket.PACKET_OUTGOING and interface != "lo":
                out.write(describe(struct.unpack(">H", data[12:14])[0], data[14:]) + "\n")


main()
