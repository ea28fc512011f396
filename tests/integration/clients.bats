#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Programs that people use, in a sandbox with a network by name, against servers in a made-up internet. None has settings
# for it, and no proxy. What is allowed works; what is not fails at once, says why where its protocol has words for it, and
# nobody outside hears of it. At the end somebody who tries every way out, seen from outside.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"
# shellcheck source=internet.bash
. "$BATS_TEST_DIRNAME/internet.bash"

why='no rule of the allow list matches this host and port'

setup() {
	umask 022
	NET=$BATS_FILE_TMPDIR/net
	children=()
	mkdir "$BATS_TEST_TMPDIR/w" && cd "$BATS_TEST_TMPDIR/w" || return
	cp "$NET/certificate" .
	quiet
}

teardown() {
	local pid
	for pid in "${children[@]}"; do
		kill "$pid" 2>/dev/null || continue
		timeout 10 tail --pid="$pid" -f /dev/null || kill -9 "$pid"
	done
	gone "$BATS_TEST_TMPDIR/" # of what was started outside
}

# administrator PROCESS: `"${admin[@]}" COMMAND...` is then in the network of that process, with every right over it; as a
# background job it is the command itself.
administrator() {
	admin=(nsenter -t "$(cat "$NET/$1")" -n)
	[ "$(id -u)" = 0 ] || admin+=(-U --preserve-credentials)
}

# allowed COMMAND...: with only example.test
allowed() {
	ward_ run --allow example.test -- "$@"
}

# refused WORDS COMMAND...: fails; its own words have WORDS, ward says it too, and nobody heard of it.
refused() {
	local words=$1
	shift
	quiet
	run allowed "$@"
	echo "$output"
	[ "$status" != 0 ]
	grep -v '^ward: ' <<<"$output" | grep -qF -- "$words"
	grep -q '^ward: network: refused .*other.test:' <<<"$output"
	unheard
}

unheard() {
	heard_nothing
	run ! grep other.test "$NET/names"
}

# gets WORDS COMMAND...: to which addresses are added; WORDS are what a refusal over TLS is called. Prints what it got.
gets() {
	local words=$1
	shift
	run -0 --separate-stderr allowed "$@" http://example.test/plain
	[ "$output" = 'hello example.test /plain' ] || { echo "$output$stderr" && false; }
	run -0 --separate-stderr allowed "$@" https://example.test/secure
	[ "$output" = 'hello example.test /secure' ] || { echo "$output$stderr" && false; }
	[ "$(cat "$NET/requests")" = $'80 example.test GET /plain\n443 example.test GET /secure' ]
	refused "$why" "$@" http://other.test/
	refused "$words" "$@" https://other.test/
}

@test "what is refused below is there: with a rule it is reached, and no variable speaks of a proxy" {
	run -0 ward_ run --allow other.test -- curl -sS --cacert certificate http://other.test/a https://other.test/b
	[ "$output" = $'hello other.test /a\nhello other.test /b' ]
	grep -q '^other.test ' "$NET/names"
	run ! allowed sh -c 'env | grep -i proxy'
}

@test "curl" {
	installed curl
	gets 'alert access denied' curl -sS --fail-with-body --cacert certificate
}

@test "wget" {
	installed wget
	gets 'Access was denied' wget -nv -O- --content-on-error --ca-certificate=certificate
}

@test "Python: urllib" {
	cat >get.py <<-'END'
		import ssl, sys, urllib.error, urllib.request
		try:
		    answer = urllib.request.urlopen(sys.argv[1], context=ssl.create_default_context(cafile="certificate"))
		    print(answer.read().decode(), end="")
		except urllib.error.HTTPError as e:
		    sys.exit(f"{e.code}: {e.read().decode()}")
	END
	gets TLSV1_ALERT_ACCESS_DENIED /usr/bin/python3 get.py
}

@test "Python: requests" {
	/usr/bin/python3 -c 'import requests' || skip 'python3-requests is not there'
	cat >get.py <<-'END'
		import requests, sys
		answer = requests.get(sys.argv[1], verify="certificate")
		print(answer.text, end="")
		sys.exit(not answer.ok)
	END
	gets TLSV1_ALERT_ACCESS_DENIED /usr/bin/python3 get.py
}

@test "Node.js: fetch" {
	installed node
	cat >get.mjs <<-'END'
		const answer = await fetch(process.argv[2]);
		process.stdout.write(await answer.text());
		process.exitCode = answer.ok ? 0 : 1;
	END
	gets ERR_SSL_TLSV1_ALERT_ACCESS_DENIED env NODE_EXTRA_CA_CERTS=certificate node get.mjs
}

@test "Go: net/http, with its own resolver and with the C library's" {
	installed go
	cat >"$BATS_TEST_TMPDIR/get.go" <<-'END'
		package main

		import (
			"crypto/tls"
			"crypto/x509"
			"io"
			"log"
			"net/http"
			"os"
		)

		func main() {
			pem, _ := os.ReadFile("certificate")
			roots := x509.NewCertPool()
			roots.AppendCertsFromPEM(pem)
			client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
			answer, err := client.Get(os.Args[1])
			if err != nil {
				log.Fatal(err)
			}
			io.Copy(os.Stdout, answer.Body)
			if answer.StatusCode != 200 {
				os.Exit(1)
			}
		}
	END
	export GOPATH=$BATS_TEST_TMPDIR/go GOCACHE=$BATS_TEST_TMPDIR/cache GO111MODULE=off
	CGO_ENABLED=0 go build -o own "$BATS_TEST_TMPDIR/get.go"
	CGO_ENABLED=1 go build -o with_c "$BATS_TEST_TMPDIR/get.go"
	gets 'tls: access denied' ./own
	quiet
	gets 'tls: access denied' env GODEBUG=netdns=cgo ./with_c
	# An answer that came before the request would be none to it, now and then.
	run allowed sh -c 'for i in $(seq 100); do ./own http://other.test/; done'
	[ "$(grep -cx "$why" <<<"$output")" = 100 ]
}

@test "git: clone over HTTP, plain and by TLS" {
	installed git
	git init -q -b main "$BATS_TEST_TMPDIR/project"
	echo content >"$BATS_TEST_TMPDIR/project/file"
	git -C "$BATS_TEST_TMPDIR/project" add file
	git -C "$BATS_TEST_TMPDIR/project" -c user.name=a -c user.email=a@example.test commit -qm first
	git clone -q --bare "$BATS_TEST_TMPDIR/project" "$NET/files/project.git"
	git -C "$NET/files/project.git" update-server-info
	# Only the repository of the workspace itself is protected, not others in it.
	clone() {
		ward_ run --allow example.test --set 'protect=[".git/config", ".git/hooks/**"]' \
			--set 'env={GIT_SSL_CAINFO: "/workspace/certificate"}' -- git clone -q "$@"
	}
	run -0 clone http://example.test/project.git plain
	run -0 clone https://example.test/project.git secure
	for copy in plain secure; do
		[ "$(cat "$copy/file")" = content ]
		[ "$(git -C "$copy" rev-parse HEAD)" = "$(git -C "$BATS_TEST_TMPDIR/project" rev-parse HEAD)" ]
	done
	allowed() { clone "$@"; }
	refused "remote: $why" http://other.test/project.git not
	refused 'Access was denied' https://other.test/project.git not
	[ ! -e not ]
}

@test "apt-get: update and install from a repository" {
	installed apt-get
	local repository=$NET/files/debian package=$BATS_TEST_TMPDIR/package
	mkdir -p "$repository" "$package/DEBIAN" "$package/usr/share/thing"
	echo content >"$package/usr/share/thing/file"
	printf '%s\n' 'Package: thing' 'Version: 1.0' 'Architecture: all' 'Maintainer: Nobody <nobody@example.test>' \
		'Description: a thing' >"$package/DEBIAN/control"
	dpkg-deb -b --root-owner-group "$package" "$repository/thing.deb"
	{
		dpkg-deb -f "$repository/thing.deb"
		echo 'Filename: ./thing.deb'
		echo "Size: $(stat -c %s "$repository/thing.deb")"
		echo "SHA256: $(sha256sum <"$repository/thing.deb" | cut -d' ' -f1)"
	} >"$repository/Packages"
	# What is the host's own, an ordinary user's apt keeps elsewhere.
	cat >get.sh <<-'END'
		set -e
		rm -rf apt
		mkdir -p apt/state/lists/partial apt/cache/archives/partial apt/etc/apt.conf.d apt/etc/preferences.d
		: >apt/state/status
		echo "deb [trusted=yes] $1 ./" >apt/etc/sources.list
		echo 'Dir { State "/workspace/apt/state"; State::status "/workspace/apt/state/status"; Cache "/workspace/apt/cache";
			Etc "/workspace/apt/etc"; }; APT::Update::Error-Mode "any";
			Acquire { https::CaInfo "/workspace/certificate"; Retries "0"; };' >apt/conf
		export APT_CONFIG=/workspace/apt/conf
		apt-get update
		apt-get -y install --download-only thing
		dpkg-deb --fsys-tarfile apt/cache/archives/thing_1.0_all.deb | tar -xO ./usr/share/thing/file
	END
	for scheme in http https; do
		run -0 allowed sh get.sh $scheme://example.test/debian
		[ "${lines[-1]}" = content ]
	done
	refused '403  Forbidden' sh get.sh http://other.test/debian
	refused 'A TLS fatal alert has been received' sh get.sh https://other.test/debian
}

@test "npm: install from a registry" {
	installed npm
	local package=$BATS_TEST_TMPDIR/package scheme sum
	mkdir -p "$package" "$NET/files/http" "$NET/files/https"
	echo '{"name": "thing", "version": "1.0.0", "main": "index.js"}' >"$package/package.json"
	echo 'module.exports = "content";' >"$package/index.js"
	tar -czf "$NET/files/thing.tgz" -C "$BATS_TEST_TMPDIR" package
	sum=$(openssl dgst -sha512 -binary "$NET/files/thing.tgz" | base64 -w0)
	for scheme in http https; do
		cat >"$NET/files/$scheme/thing" <<-END
			{"name": "thing", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": {"name": "thing", "version": "1.0.0",
			"dist": {"tarball": "$scheme://example.test/thing.tgz", "integrity": "sha512-$sum"}}}}
		END
	done
	# It takes a refusal over TLS for a fault that passes, and would try again for a minute.
	echo 'rm -rf node_modules package*.json
		npm install --no-update-notifier --fetch-retries=0 --cafile=/workspace/certificate --registry "$1" thing &&
		node -p "require(\"thing\")"' >get.sh
	for scheme in http https; do
		run -0 --separate-stderr allowed sh get.sh $scheme://example.test/$scheme/
		[ "${lines[-1]}" = content ]
	done
	refused '403 Forbidden - GET http://other.test/http/thing' sh get.sh http://other.test/http/
	refused 'alert access denied' sh get.sh https://other.test/https/
}

@test "ssh: a server that speaks first" {
	installed ssh
	[ -x /usr/sbin/dropbear ] || skip 'dropbear is not there'
	local server=$BATS_TEST_TMPDIR/server
	mkdir -p "$server/home/.ssh"
	chmod 700 "$server/home" "$server/home/.ssh"
	ward_ run -- ssh-keygen -q -t ed25519 -N '' -f key # it works for users that have a name
	cp key.pub "$server/home/.ssh/authorized_keys"
	dropbearkey -t ed25519 -f "$server/key" >"$server/public" 2>/dev/null
	sed -n 's/^\(ssh-[^ ]* [^ ]*\).*/example.test,other.test \1/p' "$server/public" >known
	echo "somebody:x:1000:1000::$server/home:/bin/sh" >"$server/passwd"
	# As an ordinary user, who has a name there and may open that port.
	administrator there
	"${admin[@]}" unshare -m sh -c 'mount --bind "$1/passwd" /etc/passwd
		echo 0 >/proc/sys/net/ipv4/ip_unprivileged_port_start
		exec unshare -U --map-user=1000 --map-group=1000 /usr/sbin/dropbear -F -E -s -r "$1/key" -p 22 -P "$1/ready"' - \
		"$server" >"$server/log" 2>&1 3>&- &
	children+=($!)
	until_there "$server/ready"
	allowed() { # HOST
		ward_ run --allow example.test:22 -- ssh -i key -o UserKnownHostsFile=known -o BatchMode=yes "somebody@$1" \
			'echo "content for $USER"; cat'
	}
	run -0 --separate-stderr allowed example.test <<<'and back'
	[ "$output" = $'content for somebody\nand back' ]
	[ "$(grep -c 'Child connection' "$server/log")" = 1 ]
	refused 'Connection reset' other.test
	[ "$(grep -c 'Child connection' "$server/log")" = 1 ]
}

@test "Chromium, without its own sandbox" {
	local program=/usr/lib/chromium/chromium
	[ -x "$program" ] || skip 'chromium is not there'
	mkdir -p "$NET/files/page"
	echo '<!doctype html><p id=p>not yet</p><script src=/page/script.js></script>' >"$NET/files/page/index.html"
	echo 'document.getElementById("p").textContent = "content of " + location.host' >"$NET/files/page/script.js"
	shows() { # ADDRESS
		allowed "$program" --headless --no-sandbox --disable-gpu --disable-background-networking --dump-dom "$1" 2>said
	}
	run -0 shows http://example.test/page/index.html
	[[ $output == *'<p id="p">content of example.test</p>'* ]] || { cat said && false; }
	grep -qx '80 example.test GET /page/script.js' "$NET/requests"
	quiet
	run -0 shows http://other.test/page/index.html
	[[ $output == *"$why"* && $output != *'<p id="p">'* ]]
	grep -q '^ward: network: refused .*other.test:80' said
	unheard
	run shows https://other.test/page/index.html
	[[ $output != *'<p id="p">'* ]]
	grep -q '^ward: network: refused .*other.test:443' said
	unheard
	# With it, it does not start.
	run ward_ run --net limited -- "$program" --headless --disable-gpu --dump-dom http://example.test/page/index.html
	[ "$status" != 0 ]
	[[ $output == *'No usable sandbox'* ]]
}

# captures NAME: until the test ends, every packet that arrives at the servers is written down in the file $seen.
captures() {
	seen=$BATS_TEST_TMPDIR/seen.$1
	administrator there
	"${admin[@]}" "$python" "$tests/helpers/capture.py" "$seen" 3>&- &
	children+=($!)
	until_there "$seen"
	until grep -q listening "$seen"; do sleep 0.02; done
}

# Packets arrive in order: with this one, all that were sent before are there.
captured() {
	local i
	administrator ready
	"${admin[@]}" "$python" -c 'import socket
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"the-end", ("93.184.216.34", 9))'
	for ((i = 0; i < 500; i++)); do
		! grep -q 'the-end' "$seen" || return 0
		sleep 0.02
	done
	return 1
}

# What the kernel itself says to its neighbours, what the allowed name is looked up and dialled with, and the end.
expected='^(listening|arp 93\.184\.216\.(1|34|53) - -|icmp6 [^ ]* - type(133|135|136|143)|udp 93\.184\.216\.53 53 example\.test'
expected+='|tcp 93\.184\.216\.34 80 (syn|-)|udp 93\.184\.216\.34 9 the-end)$'

@test "somebody who tries every way out is not seen outside" {
	cp "$tests/helpers/hostile.py" .
	captures guarded
	run ward_ run --allow example.test -- sh -c 'curl -sS http://example.test/before
		/usr/bin/python3 hostile.py >tried; echo $?; curl -sS http://example.test/after'
	captured
	[[ $output == *'hello example.test /before'*$'\n0\n'*'hello example.test /after'* ]]
	[ "$(wc -l <tried)" -gt 200 ]
	run ! grep -vE "$expected" "$seen"
	[ "$(grep -c 'tcp 93.184.216.34 80 syn' "$seen")" = 2 ]
	grep -q '^udp 93.184.216.53 53 example.test$' "$seen"
	[ "$(cat "$NET/requests")" = $'80 example.test GET /before\n80 example.test GET /after' ]
	run ! grep -v '^example.test ' "$NET/names"
}

@test "the same from the machine itself is seen, every packet of it" {
	captures unguarded
	administrator ready
	RES_OPTIONS='timeout:1 attempts:1' "${admin[@]}" /usr/bin/python3 "$tests/helpers/hostile.py" >tried
	captured
	# Two packets to an address that nobody has are not two packets on the cable.
	sort -u tried >wanted
	cut -d' ' -f1-3 "$seen" | sort -u >had
	run -0 comm -23 wanted had
	[ -z "$output" ] || { echo "not seen: $output" && false; }
	grep -qE '^udp 93\.184\.216\.53 53 [0-9a-f]{60}\.[0-9a-f]{60}\.[0-9a-f]{60}\.49\.attacker\.test$' "$seen"
	grep -qE '\.attacker\.test ' "$NET/names"
}

@test "2 GiB with a budget of 1 GiB end there" {
	local limit=$((1 << 30))
	ward_ run --json --net limited --set 'network.budget={"example.test": {down: "1G"}}' -- \
		curl -sS -o /dev/null -w '%{size_download}' http://example.test/zeros/$((2 * limit)) >answer || status=$?
	[ "$status" = 56 ] # the command's own: it was cut off
	json 'd["exitCode"] == 56 and d["reason"] == "exited" and d["limitsHit"] == {"budget": 1}' <answer
	json "len(d['network']) == 1 and not d['network'][0]['allowed'] and 'network.budget' in d['network'][0]['why']" <answer
	json "abs(d['network'][0]['receivedBytes'] - $limit) <= 1 << 20" <answer
	# The reset overtakes what is on its way.
	json "$limit - (64 << 20) <= int(d['stdout']) <= $limit" <answer
	run -0 ward_ run --net limited --set 'network.budget={"example.test": {down: "1G"}}' -- \
		curl -sS -o /dev/null -w '%{size_download}' http://example.test/zeros/1000000
	[ "$output" = 1000000 ]
}
