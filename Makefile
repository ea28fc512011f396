# SPDX-License-Identifier: Apache-2.0
#
# A thin front for people: meson and ninja build, tests/run tests. `make help` lists the targets.

PREFIX = /usr/local
DESTDIR =
SECONDS = 60

.PHONY: all help try test test-vm soak coverage fuzz bench bench-docs install format clean

all: ## build the program: build/ward (LIBC=system: with the machine's own C library)
	@scripts/deps check build
	@scripts/build build ward lib/libward.so.1

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 16

try: ## show on this machine what the program does
	@scripts/deps install build
	@scripts/build build ward
	@scripts/try build/ward

test: ## run every test and check (T='unit/* checks/man': only these)
	@scripts/deps install build test
	@tests/run $(T)

test-vm: ## boot Debian's own kernel and run the tests from outside there, as three kinds of user
	@scripts/deps install build vm
	@scripts/build build
	@scripts/test-vm

soak: ## half an hour of commands in sandboxes that live: nothing may grow (SECONDS=1800)
	@scripts/deps install build test
	@scripts/build build ward
	@scripts/soak build/ward $(SECONDS)

soak: SECONDS = 1800

coverage: ## run the tests and report which lines and branches they reach
	@scripts/deps install build test coverage
	@scripts/coverage

fuzz: ## search for crashes in every parser (SECONDS=60 each; T=json5: only this one)
	@scripts/deps install build test
	@scripts/fuzz $(SECONDS) $(T)

bench: ## measure against bars and other sandboxes (T=start: only this part; SECONDS=30 without rest)
	@scripts/deps install build bench
	@scripts/build build ward bench/spawn bench/calls bench/warm bench/record bench/mcp bench/traffic
	@BENCH_SECONDS=$(SECONDS) bench/run $(BENCHFLAGS) $(T)

bench-docs: ## the same, and write docs/benchmarks.md
	@$(MAKE) bench BENCHFLAGS=--docs

bench bench-docs: SECONDS = 30

install: all ## install to PREFIX (/usr/local), below DESTDIR
	@scripts/install build/ward "$(DESTDIR)" "$(PREFIX)"

format: ## bring every C file into shape
	@scripts/deps check test
	@scripts/format

clean: ## remove every build tree
	rm -rf build build-*
