#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What an agent does, from a shell script: runs commands, reads how they ended, changes files, keeps a process in the
# background. Run it in the folder that it should work in; jq reads the answers.
set -eu

call() { # TOOL ARGUMENTS: the answer as JSON; status 1: it failed, 126: there is no such tool for us
	ward tools call --json "$1" "$2"
}

# A command line. Its exit status is part of the answer.
answer=$(call exec '{"command": "echo building; echo done"}')
printf '%s' "$answer" | jq -j .stdout
echo "exit status $(printf '%s' "$answer" | jq .exitCode)"

# One that takes too long.
answer=$(call exec '{"command": "sleep 100", "timeoutMs": 500}') || true
[ "$(printf '%s' "$answer" | jq -r .reason)" != timeout ] || echo 'too slow'

# Arguments are safest when jq puts them together.
call write "$(jq -n --arg content 'port = 80
host = here
' '{path: "settings", $content}')" >/dev/null
call edit '{"path": "settings", "oldText": "port = 80", "newText": "port = 8080"}' >/dev/null
call read '{"path": "settings"}' | jq -j .content

# Refused: it is not in the workspace.
call read '{"path": "../../etc/shadow"}' >answer.json || echo "outside: refused"
rm -f answer.json

# A process in the background.
id=$(call exec '{"command": "echo listening; cat", "background": true}' | jq .id)
call process "{\"action\": \"write\", \"id\": $id, \"end\": true}" >/dev/null
call process "{\"action\": \"wait\", \"id\": $id}" >/dev/null
printf 'background: '
call process "{\"action\": \"output\", \"id\": $id}" | jq -j .output
