# SPDX-License-Identifier: Apache-2.0
"""The servers of tests/helpers/internet: a name server and web servers."""
import http.server
import mimetypes
import os
import socket
import socketserver
import ssl
import struct
import sys
import threading

folder = sys.argv[1]
WEB4, WEB6 = "93.184.216.34", "2606:2800:220:1::34"
NAMES = {
    "example.test": [WEB4],
    "other.test": [WEB4],
    "deep.example.test": [WEB4],
    "six.test": [WEB6],
    "both.test": [WEB4, WEB6],
    "private.test": ["10.1.2.3"],
    "mixed.test": ["10.1.2.3", WEB4],
    "metadata.test": ["169.254.169.254"],
    "machine.test": ["93.184.216.1"],
    "loopback.test": ["127.0.0.1"],
    "mapped.test": ["::ffff:127.0.0.1"],
    "closed.test": ["93.184.216.99"],
    "zero.test": ["0.0.0.0"],
    "own6.test": ["::1"],
    "group.test": ["224.0.0.1"],
    "link.test": ["169.254.1.1"],
    "nat64.test": ["64:ff9b::7f00:1"],
}
turn = 0


def note(file, text):
    with open(os.path.join(folder, file), "a", encoding="utf-8") as f:
        f.write(text + "\n")


def question(data):
    at, labels = 12, []
    while data[at]:
        labels.append(data[at + 1 : at + 1 + data[at]].decode("latin-1"))
        at += data[at] + 1
    return ".".join(labels).lower(), struct.unpack(">H", data[at + 1 : at + 3])[0], data[12 : at + 5]


def addresses(name):
    """One name changes its mind each time it is asked for."""
    global turn
    if name == "rebind.test":
        turn += 1
        return [WEB4] if turn % 4 < 2 else ["127.0.0.1"]
    return NAMES.get(name)


def answer(data):
    name, kind, asked = question(data)
    note("names", f"{name} {kind}")
    found = addresses(name)
    records = b""
    count = 0
    for address in found or []:
        six = ":" in address
        if kind != (28 if six else 1):
            continue
        packed = socket.inet_pton(socket.AF_INET6 if six else socket.AF_INET, address)
        ttl = 0 if name == "rebind.test" else 60
        records += b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, ttl, len(packed)) + packed
        count += 1
    flags = 0x8180 if found is not None else 0x8183
    return data[:2] + struct.pack(">HHHHH", flags, 1, count, 0, 0) + asked + records


def serve_names():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(("93.184.216.53", 53))
    while True:
        data, whom = s.recvfrom(4096)
        s.sendto(answer(data), whom)


def kept(path):
    """What a test has put there; None: nothing, nor any such folder."""
    top = os.path.join(folder, "files")
    file = os.path.normpath(top + path.split("?")[0])
    if os.path.isfile(file):
        with open(file, "rb") as f:
            return 200, f.read()
    first = file[len(top) + 1 :].split("/")[0]
    return (404, b"") if first and os.path.isdir(os.path.join(top, first)) else (200, None)


class Web(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        port = self.server.server_address[1]
        note("requests", f"{port} {self.headers.get('Host')} {self.command} {self.path}")
        body = f"hello {self.headers.get('Host')} {self.path}\n".encode()
        if self.path == "/hang-up":
            self.close_connection = True
            return
        if self.path == "/socket":
            self.switch()
            return
        if self.path == "/elsewhere":
            self.send_response(302)
            self.send_header("Location", "http://other.test/from-there")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if self.path.startswith("/zeros/"):
            self.zeros(int(self.path[7:]))
            return
        if self.path.startswith("/big/"):
            body = b"x" * int(self.path[5:])
        code, file = kept(self.path)
        self.reply(code, body if file is None else file)

    def reply(self, code, body):
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Type", mimetypes.guess_type(self.path)[0] or "application/octet-stream")
        self.end_headers()
        self.wfile.write(body)

    def switch(self):
        """Another protocol: every byte comes back."""
        self.close_connection = True
        self.wfile.write(b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
        while data := self.rfile.read1(4096):
            note("switched", data.decode("latin-1"))
            self.wfile.write(data)

    def zeros(self, left):
        block = bytes(1 << 20)
        self.send_response(200)
        self.send_header("Content-Length", str(left))
        self.end_headers()
        while left > 0:
            self.wfile.write(block[:left])
            left -= len(block)

    def do_POST(self):
        left = int(self.headers["Content-Length"])
        while left > 0:
            left -= len(self.rfile.read(min(left, 65536)))
        self.do_GET()

    do_PUT = do_POST

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    address_family = socket.AF_INET6
    request_queue_size = 1024

    def server_bind(self):
        self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()

    def get_request(self):
        whom = super().get_request()
        note("connections", f"{self.server_address[1]} {whom[1][0]}")
        return whom

    def handle_error(self, *_):
        pass


def serve_echo():
    """Every datagram comes back, longer; those that say so are answered by many."""
    s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    s.bind(("::", 9999))
    while True:
        data, whom = s.recvfrom(65535)
        note("datagrams", data[:20].decode("latin-1"))
        for _ in range(int(data[5:]) if data.startswith(b"many ") else 1):
            s.sendto(b"echo " + data, whom)


def serve_silence():
    """Takes connections, and never says or closes anything."""
    s = socket.create_server(("", 9000), backlog=1024)
    kept = []
    while True:
        kept.append(s.accept())


def main():
    web = [Server(("::", port), Web) for port in (80, 443, 8080)]
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(os.path.join(folder, "server"), os.path.join(folder, "key"))
    web[1].socket = tls.wrap_socket(web[1].socket, server_side=True, do_handshake_on_connect=False)
    for server in web:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    threading.Thread(target=serve_names, daemon=True).start()
    threading.Thread(target=serve_echo, daemon=True).start()
    threading.Thread(target=serve_silence, daemon=True).start()
    note("listening", "yes")
    threading.Event().wait()


main()
