# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# For tests in a made-up internet (tests/helpers/internet), which is there as long as the file's tests run. Loaded after
# lib.bash. NET is the folder in which it says what it heard.

export XDG_RUNTIME_DIR=$BATS_FILE_TMPDIR XDG_STATE_HOME=$BATS_FILE_TMPDIR/state
many_sandboxes

setup_file() {
	local own=() folder=$BATS_FILE_TMPDIR/net
	"$tests/helpers/census" take "$BATS_FILE_TMPDIR/census"
	mkdir "$folder"
	[ "$(id -u)" = 0 ] || own=(-Ur)
	mkfifo "$folder/end"
	unshare "${own[@]}" -n "$tests/helpers/internet" "$folder" <"$folder/end" >"$folder/said" 2>&1 3>&- &
	exec 9>"$folder/end"
	for ((i = 0; i < 200; i++)); do
		[ ! -e "$folder/ready" ] || break
		sleep 0.05
	done
	[ -e "$folder/ready" ] || { cat "$folder/said" && return 1; }
	echo $! >"$folder/process"
}

teardown_file() {
	local folder=$BATS_FILE_TMPDIR/net
	timeout 5 sh -c "echo >$folder/end"
	timeout 10 tail --pid="$(cat "$folder/process")" -f /dev/null || true
	"$tests/helpers/census" compare "$BATS_FILE_TMPDIR/census"
}

# quiet: what it heard so far does not count
quiet() {
	: >"$NET/names"
	: >"$NET/requests"
	: >"$NET/connections"
	: >"$NET/service"
}

setup() {
	NET=$BATS_FILE_TMPDIR/net
	mkdir "$BATS_TEST_TMPDIR/w" && cd "$BATS_TEST_TMPDIR/w" || return
	cp "$NET/certificate" .
	quiet
}

teardown() {
	there "$WARD" stop --force >/dev/null 2>&1 || true
}

# there COMMAND...: as a process of the machine that is in that internet
there() {
	local own=()
	[ "$(id -u)" = 0 ] || own=(-U --preserve-credentials)
	if [ "$(id -u)" = 0 ]; then
		timeout -k 5 "${patience:-60}" nsenter -t "$(cat "$NET/ready")" -n --wdns="$PWD" "$@"
	else
		timeout -k 5 "${patience:-60}" nsenter -t "$(cat "$NET/ready")" "${own[@]}" -n \
			unshare -U --map-user=1000 --map-group=1000 "$@"
	fi
}

# ward OPTION... -- COMMAND...
ward_() { # VERB
	local verb=$1
	shift
	there "$WARD" "$verb" --set 'network.dns=["93.184.216.53"]' --set 'passEnv=["CURL_CA_BUNDLE"]' "$@"
}

json() { # EXPRESSION about d
	python3 -c 'import json, sys
d = json.load(sys.stdin)
v = eval(sys.argv[1])
print(v)
sys.exit(v is False)' "$1"
}

# nor the service of the machine itself
heard_nothing() {
	cat "$NET/requests" "$NET/connections" "$NET/service"
	[ ! -s "$NET/requests" ] && [ ! -s "$NET/connections" ] && [ ! -s "$NET/service" ]
}
