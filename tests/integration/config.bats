#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# `ward config check`, `show` and `schema`.

bats_require_minimum_version 1.5.0

setup() {
	mkdir "$BATS_TEST_TMPDIR/home" "$BATS_TEST_TMPDIR/work" && cd "$BATS_TEST_TMPDIR/work" || return 1
	export HOME=$BATS_TEST_TMPDIR/home
	unset XDG_CONFIG_HOME
	mkdir -p "$HOME/.config/ward"
	user=$HOME/.config/ward/ward.json5
	cat >"$user" <<-'END'
		{
		  agents: {
		    defaults: {sandbox: {
		      workspace: 'ro', // nothing is written
		      resources: {memory: '512M'},
		      network: {allow: ['x.test', 'y.test:443']},
		    }},
		    entries: {
		      helper: {sandbox: {mode: 'off'}, tools: {deny: ['exec']}},
		      'a.b': {sandbox: {profile: 'careful'}},
		      defaults: {},
		    },
		  },
		  profiles: {careful: {sandbox: {resources: {memory: '64M', pids: 10}}}},
		  tools: {elevated: {enabled: true, rules: [{pattern: 'git push *', ttl: '5m'}]}},
		}
	END
}

# json EXPRESSION: standard input is JSON without duplicate keys; prints what becomes of d.
json() {
	python3 -c '
import json, sys
def once(pairs):
    d = dict(pairs)
    assert len(d) == len(pairs), "a key stands there twice"
    return d
d = json.load(sys.stdin, object_pairs_hook=once)
print(eval(sys.argv[1]))' "$1"
}

@test "check: which files, and how many agents" {
	run -0 "$WARD" config check
	[[ $output == *"user "*"$user"* ]]
	[[ $output == *'ok: 3 agents with entries of their own'* ]]
	echo '{}' >.ward.json5
	run -0 "$WARD" config check --set mode=all
	[[ $output == *'workspace            .ward.json5'* ]]
	[[ $output == *'command line         command line'* ]]
	run -0 "$WARD" config check --json
	[ "$(json 'd["ok"], d["agents"], d["files"]["workspace"]' <<<"$output")" = "(True, 3, '.ward.json5')" ]
	rm .ward.json5 "$user"
	run -0 "$WARD" config check
	[[ $output == 'ok: no file found, so the built-in values hold' ]]
}

@test "check: a file as argument, which is the same as --config" {
	echo '{agents: {entries: {a: {}}}}' >f.json5
	run -0 "$WARD" config check f.json5
	[[ $output == *'f.json5'*'ok: 1 agent with an entry of its own' ]]
	run -125 "$WARD" config check f.json5 --config f.json5
	[[ $output == *'give one of them'* ]]
	run -125 "$WARD" config check nowhere.json5
	[[ $output == *nowhere.json5*'No such file'* ]]
}

@test "import: from a pipe" {
	tests=$BATS_TEST_DIRNAME/..
	# shellcheck disable=SC2016 # expanded by the inner shell
	run -0 bash -c 'cat "$1" | "$WARD" config import --from pi -' - "$tests/data/import/pi-host.txt"
	[[ $output == *'mode: "off"'* ]]
	# shellcheck disable=SC2016
	run -125 bash -c 'head -c 5000000 /dev/zero | "$WARD" config import --from pi -'
	[[ $output == *'standard input'*'larger than 4M'* ]]
}

@test "groups: help and suggestions" {
	run -0 "$WARD" help config
	[[ $output == *'config check'*'config import'* ]]
	run -125 "$WARD" confg check
	[[ $output == *"did you mean 'ward config'?" ]]
	run -125 "$WARD" --verson
	[[ $output == *"did you mean 'ward --version'?" ]]
}

@test "check: every agent is worked out, also the last" {
	echo "{agents: {entries: {a: {}, b: {sandbox: {profile: 'nowhere'}}}}}" >f.json5
	run -125 "$WARD" config check --config f.json5
	[[ $output == "ward: f.json5:1:51: there is no profile 'nowhere'"* ]]
	echo "{agents: {entries: {a: {}, b: {tools: {profile: 'nowhere'}}}}}" >f.json5
	run -125 "$WARD" config check --config f.json5
	[[ $output == "ward: f.json5:1:"*"there is no tool profile 'nowhere'"* ]]
	echo "{agents: {entries: {b: {sandbox: {binds: ['/etc:/x']}}}}}" >f.json5
	run -125 "$WARD" config check --config f.json5
	[[ $output == *'f.json5:1:43: binds: '* ]]
	# Who does not ask for that agent is not kept from working.
	run -0 "$WARD" explain --config f.json5 --agent a
	run -125 "$WARD" explain --config f.json5 --agent b
}

@test "show: what holds, for the defaults and each agent" {
	run -0 "$WARD" config show
	[[ ${lines[0]} == defaults ]]
	[[ $output == *'sandbox.workspace: "ro"'* ]]
	[[ $output == *'sandbox.network.allow: ["x.test", "y.test:443"]'* ]]
	[[ $output == *'tools.elevated.rules: [{"pattern": "git push *", "to": "host", "approval": true, "ttl": "5m"}]'* ]]
	[[ $output != *'//'* ]]
	[ "$(grep -c '^[^ ]' <<<"$output")" = 4 ]
	run -0 "$WARD" config show --agent helper
	[[ ${lines[0]} == helper ]]
	[[ $output == *'sandbox.mode: "off"'* ]]
	[[ $output == *'sandbox.workspace: "ro"'* ]]
	[[ $output == *'tools.deny: ["exec"]'* ]]
	# An agent that nobody wrote about gets the defaults.
	run -0 "$WARD" config show --agent stranger
	[[ $output == *'sandbox.mode: "all"'* ]]
}

@test "show --origin: who wrote each value" {
	run -0 "$WARD" config show --origin --agent helper --set timeout=5
	[[ $output == *"sandbox.mode: \"off\"  // $user:9:32"* ]]
	[[ $output == *"sandbox.workspace: \"ro\"  // $user:4:18"* ]]
	[[ $output == *'sandbox.timeout: "5s"  // command line'* ]]
	[[ $output == *'sandbox.scope: "session"  // built in'* ]]
	echo "{agents: {defaults: {sandbox: {resources: {memory: '128M'}}}}}" >.ward.json5
	run -0 "$WARD" config show --origin
	[[ $output == *'sandbox.resources.memory: "128M"  // .ward.json5:1:52'* ]]
	run -0 "$WARD" config show --origin --agent a.b
	[[ $output == *"sandbox.resources.memory: \"64M\"  // $user:14:54"* ]]
}

@test "show: a profile lies beneath the section that names it" {
	run -0 "$WARD" config show --agent a.b
	[[ $output == *'sandbox.resources.memory: "64M"'* ]]
	[[ $output == *'sandbox.resources.pids: 10'* ]]
	[[ $output == *'sandbox.profile: "careful"'* ]]
	run -0 "$WARD" config show --agent a.b --set resources.pids=5
	[[ $output == *'sandbox.resources.memory: "64M"'* ]]
	[[ $output == *'sandbox.resources.pids: 5'* ]]
}

@test "show --json: valid, with values and origins, whatever agents are called" {
	run -0 "$WARD" config show --json
	[ "$(json 'sorted(d["agents"])' <<<"$output")" = "['a.b', 'defaults', 'helper']" ]
	[ "$(json 'd["defaults"]["sandbox.network.allow"]["value"]' <<<"$output")" = "['x.test', 'y.test:443']" ]
	[ "$(json 'd["agents"]["helper"]["sandbox.mode"]["origin"]' <<<"$output")" = "$user:9:32" ]
	[ "$(json 'd["defaults"]["tools.elevated.rules"]["value"][0]["ttl"]' <<<"$output")" = 5m ]
	run -0 "$WARD" config show --json --agent helper
	[ "$(json 'list(d), list(d["agents"])' <<<"$output")" = "(['agents'], ['helper'])" ]
}

@test "show --json: long values are whole" {
	{ printf "{agents: {defaults: {sandbox: {env: {" && seq -f "A%04.0f: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'," 4000 &&
		printf '}}}}}'; } >f.json5
	"$WARD" config show --json --config f.json5 >shown.json
	[ "$(json 'len(d["defaults"]["sandbox.env"]["value"])' <shown.json)" = 4000 ]
	"$WARD" explain --json --config f.json5 >shown.json
	[ "$(json 'len(d["settings"]["env"]["value"])' <shown.json)" = 4000 ]
	"$WARD" explain --config f.json5 | grep -q '"A4000": "xxx'
}

@test "what show prints can be written back" {
	# Every value of the merged defaults, set one by one on the command line, changes nothing.
	"$WARD" config show --json >shown.json
	json '"\n".join("%s=%s" % (k[8:], json.dumps(v["value"])) for k, v in d["defaults"].items()
		if k.startswith("sandbox.") and v["origin"] != "built in")' <shown.json >sets
	[ "$(wc -l <sets)" -ge 3 ]
	arguments=()
	while read -r set; do arguments+=(--set "$set"); done <sets
	"$WARD" config show --json "${arguments[@]}" >again.json
	python3 - <<-'END'
		import json
		def values(name):
		    return {k: v["value"] for k, v in json.load(open(name))["defaults"].items()}
		assert values("shown.json") == values("again.json")
	END
}

@test "schema: a JSON Schema that is closed and complete" {
	"$WARD" config schema >schema.json
	"$WARD" config schema --support --json >support.json
	python3 - <<-'END'
		import json, re
		schema, support = json.load(open("schema.json")), json.load(open("support.json"))
		assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"

		def resolve(rule):
		    if "$ref" in rule:
		        assert rule["$ref"].startswith("#/$defs/")
		        return schema["$defs"][rule["$ref"][8:]]
		    return rule

		def walk(rule, seen):
		    rule = resolve(rule)
		    assert set(rule) & {"type", "enum", "anyOf"}, rule
		    if rule.get("type") == "object":
		        assert "additionalProperties" in rule, rule
		    if "pattern" in rule:
		        re.compile(rule["pattern"])
		    for part in [*rule.get("properties", {}).values(), *rule.get("anyOf", [])]:
		        if "$ref" not in part or part["$ref"] not in seen:
		            walk(part, seen | {part.get("$ref")})

		walk(schema, set())

		def find(rule, path):
		    for rule in [rule, *resolve(rule).get("anyOf", [])]:
		        found = resolve(rule).get("properties", {}).get(path[0])
		        if found is not None:
		            return found if len(path) == 1 else find(found, path[1:])

		assert len(support) > 70
		for key, word in support.items():
		    rule = find(schema, key.split("."))
		    assert rule is not None, key
		    assert rule["description"], key
		    assert ("not yet supported" in rule["description"]) == (word == "not yet supported"), key
	END
}

@test "schema --support: every key with one of three words, and the words are true" {
	run -0 "$WARD" config schema --support
	[ "${#lines[@]}" -gt 70 ]
	run ! grep -vE '^[A-Za-z.]+ +(takes effect|explained, not yet enforced|not yet supported)$' <<<"$output"
	while read -r key; do
		[[ $key == agents.defaults.sandbox.* ]] || continue
		run -125 "$WARD" config check --set "$key=x"
		[[ $output == *"${key}: not yet supported: "* ]]
	done < <("$WARD" config schema --support | sed -n 's/ *not yet supported$//p')
	run -0 "$WARD" config schema --markdown
	[[ ${lines[0]} == '| key | meaning | default | in this version |' ]]
	# shellcheck disable=SC2016 # Markdown
	[[ $output == *'| `agents.defaults.sandbox.mode` |'* ]]
}

@test "schema: a file that names it is still a configuration" {
	echo "{\$schema: './schema.json'}" >f.json5
	run -0 "$WARD" config check --config f.json5
}

@test "every answer in JSON is JSON" {
	for command in 'config check' 'config show' 'config schema' 'config schema --support' 'explain' 'explain --tool exec' \
		'explain --reach x.test' 'explain -c ls' 'tools list' 'tools list --all' 'tools check read' 'version'; do
		# shellcheck disable=SC2086 # words on purpose
		"$WARD" $command --json >answer.json
		json 'type(d).__name__' <answer.json
	done
}

@test "--set: whole paths, short paths, JSON5 and words" {
	shows() { # SETTING EXPECTED-LINE
		run -0 "$WARD" config show --agent main --set "$1"
		[[ $output == *"$2"* ]] || { echo "$1: no '$2' in $output" && return 1; }
	}
	shows mode=off 'sandbox.mode: "off"'
	shows network=limited 'sandbox.network.mode: "limited"'
	shows 'network={mode: "full"}' 'sandbox.network.mode: "full"'
	shows network.allow=z.test 'sandbox.network.allow: ["z.test"]'
	shows "network.allow=['z.test', 'w.test']" 'sandbox.network.allow: ["z.test", "w.test"]'
	shows env.DEBUG=true 'sandbox.env: {"DEBUG": "true"}'
	shows env.DEBUG=a=b 'sandbox.env: {"DEBUG": "a=b"}'
	shows resources.cpus=0.5 'sandbox.resources.cpus: 0.5'
	shows tools.deny=exec 'tools.deny: ["exec"]'
	shows agents.defaults.sandbox.timeout=7 'sandbox.timeout: "7s"'
	shows agents.entries.main.sandbox.timeout=8 'sandbox.timeout: "8s"'
	run -0 "$WARD" config show --agent main --set agents.entries.main.sandbox.timeout=8 \
		--set agents.entries.main.sandbox.mode=off --set tools.deny=read --set tools.deny=exec
	[[ $output == *'sandbox.timeout: "8s"'* ]]
	[[ $output == *'sandbox.mode: "off"'* ]]
	[[ $output == *'tools.deny: ["read", "exec"]'* ]]
}
