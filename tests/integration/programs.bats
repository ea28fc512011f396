#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Programs as people use them, in a sandbox: compilers, interpreters with their threads and children, version control.

# shellcheck disable=SC2016 # expanded inside
# shellcheck source=lib.bash
. "$BATS_TEST_DIRNAME/lib.bash"

# Only the repository of the workspace itself is protected, not others in it.
loose=(--set 'protect=[".git/config", ".git/hooks/**"]')

@test "gcc: a program with threads is compiled and runs" {
	installed gcc
	cat >threads.c <<-'C'
		#include <pthread.h>
		#include <stdio.h>
		static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
		static int sum;
		static void *add(void *p)
		{
			for (int i = 0; i < 1000; i++) {
				pthread_mutex_lock(&lock);
				sum += *(int *)p;
				pthread_mutex_unlock(&lock);
			}
			FILE *f = tmpfile();
			if (!f || fputs("x", f) < 0 || fclose(f) != 0)
				return p;
			return NULL;
		}
		int main(void)
		{
			pthread_t t[32];
			int one = 1, failed = 0;
			void *r;
			for (int i = 0; i < 32; i++)
				if (pthread_create(&t[i], NULL, add, &one) != 0)
					return 1;
			for (int i = 0; i < 32; i++)
				failed += pthread_join(t[i], &r) != 0 || r;
			printf("%d %d\n", sum, failed);
			return 0;
		}
	C
	ward_run -- gcc -O1 -Wall -Werror -pthread -o threads threads.c
	run -0 ward_run -- ./threads
	[ "$output" = '32000 0' ]
	run -0 ./threads # what was made is of use outside
	[ "$output" = '32000 0' ]
}

@test "make: a project in several processes, built anew only where something changed" {
	installed make
	mkdir src
	for i in 1 2 3 4 5 6; do
		printf 'int f%d(void);\nint f%d(void)\n{\n\treturn %d;\n}\n' $i $i $i >src/f$i.c
	done
	cat >src/main.c <<-'C'
		#include <stdio.h>
		int f1(void), f2(void), f3(void), f4(void), f5(void), f6(void);
		int main(void)
		{
			printf("%d\n", f1() + f2() + f3() + f4() + f5() + f6());
			return 0;
		}
	C
	cat >Makefile <<-'MAKE'
		objects = $(patsubst src/%.c,obj/%.o,$(wildcard src/*.c))
		prog: obj/libf.a obj/main.o
		    $(CC) -o $@ obj/main.o obj/libf.a
		obj/libf.a: $(filter-out obj/main.o,$(objects))
		    $(AR) rcs $@ $^
		obj/%.o: src/%.c | obj
		    $(CC) -O1 -g -MMD -c -o $@ $<
		obj:
		    mkdir -p $@
		test: prog
		    ./prog | grep -qx 21
		install: prog
		    install -D -m 755 prog $(DESTDIR)/bin/prog
		clean:
		    rm -rf obj prog
		-include $(objects:.o=.d)
	MAKE
	sed -i 's/^    /\t/' Makefile
	ward_run -- make -j2 test
	run -0 ./prog
	[ "$output" = 21 ]
	run -0 ward_run -- make -j2 prog
	[[ $output == *"'prog' is up to date"* ]]
	touch -d '+1 second' src/f3.c
	run -0 ward_run -- make -j2 prog
	[ "$(grep -c 'MMD' <<<"$output")" = 1 ]
	ward_run -- make install DESTDIR=/workspace/out
	[ "$(stat -c %a out/bin/prog)" = 755 ]
	ward_run -- make clean
	[ ! -e obj ] && [ ! -e prog ]
}

@test "Python: threads, processes, subprocesses, temporary files" {
	installed python3
	cat >all.py <<-'END'
		import concurrent.futures, ctypes, multiprocessing, os, queue, shutil, signal, socket, sqlite3, subprocess, sys
		import tempfile, threading, time

		def square(n):
		    return n * n

		def worker(q, out, lock, shared):
		    while (n := q.get()) is not None:
		        with lock:
		            shared.value += n
		        out.put(n * n)

		def main():
		    results, lock = [], threading.Lock()
		    def add(i):
		        with lock:
		            results.append(i)
		    threads = [threading.Thread(target=add, args=(i,)) for i in range(50)]
		    [t.start() for t in threads]
		    [t.join() for t in threads]
		    assert sorted(results) == list(range(50))
		    for method in "fork", "spawn", "forkserver":
		        context = multiprocessing.get_context(method)
		        with context.Pool(3) as pool:
		            assert pool.map(square, range(20)) == [n * n for n in range(20)]
		    q, out, lock = multiprocessing.Queue(), multiprocessing.Queue(), multiprocessing.Lock()
		    shared = multiprocessing.Value("i", 0)
		    ps = [multiprocessing.Process(target=worker, args=(q, out, lock, shared)) for _ in range(3)]
		    [p.start() for p in ps]
		    [q.put(n) for n in range(10)]
		    [q.put(None) for _ in ps]
		    assert sorted(out.get(timeout=60) for _ in range(10)) == [n * n for n in range(10)]
		    [p.join() for p in ps]
		    assert shared.value == 45
		    with concurrent.futures.ProcessPoolExecutor(2) as pool:
		        assert list(pool.map(square, [1, 2, 3])) == [1, 4, 9]
		    assert subprocess.run(["sh", "-c", "cat; echo err >&2; exit 3"], input=b"in", capture_output=True).returncode == 3
		    p = subprocess.Popen(["sleep", "1000"], start_new_session=True)
		    os.killpg(p.pid, signal.SIGKILL)
		    assert p.wait() == -9
		    with tempfile.TemporaryDirectory() as d, tempfile.NamedTemporaryFile(dir=d) as f:
		        f.write(b"x" * 100000)
		        f.flush()
		        assert os.path.getsize(f.name) == 100000
		    with tempfile.TemporaryDirectory(dir=".") as d: # in the workspace too
		        with tempfile.NamedTemporaryFile("w", dir=d, delete=False) as f:
		            f.write("text")
		        os.replace(f.name, d + "/final")
		        os.makedirs(d + "/a/b/c")
		        shutil.copytree(d + "/a", d + "/copy")
		        shutil.move(d + "/final", "final")
		    tempfile.TemporaryFile(dir=".").write(b"x")
		    a, b = socket.socketpair()
		    a.sendall(b"x")
		    assert b.recv(1) == b"x"
		    with sqlite3.connect("data.db") as db:
		        db.execute("pragma journal_mode=wal")
		        db.execute("create table t (n)")
		        db.executemany("insert into t values (?)", [(n,) for n in range(100)])
		        assert db.execute("select sum(n) from t").fetchone() == (4950,)
		    print("done")

		if __name__ == "__main__":
		    main()
	END
	run -0 ward_run -- /usr/bin/python3 all.py
	[ "$output" = 'done' ]
	[ "$(cat final)" = text ]
	[ -s data.db ]
	run ! ls -d tmp*
}

@test "Python: a virtual environment" {
	installed python3
	run -0 ward_run -- sh -c '/usr/bin/python3 -m venv --without-pip env && . env/bin/activate && python -c "import sys; print(sys.prefix)"'
	[ "$output" = /workspace/env ]
}

@test "Node.js: workers, files, watching, child processes, a server on loopback" {
	installed node
	cat >all.js <<-'END'
		const { Worker, isMainThread, parentPort, workerData } = require("worker_threads");
		const fs = require("fs"), path = require("path"), os = require("os"), http = require("http"), cp = require("child_process");
		if (!isMainThread) {
			parentPort.postMessage(workerData * 2);
			return;
		}
		if (process.argv[2] === "child") {
			process.on("message", m => { process.send(m + 1); process.disconnect(); });
			return;
		}
		const check = (ok, what) => { if (!ok) throw new Error(what); };
		const worker = n => new Promise((good, bad) => {
			const w = new Worker(__filename, { workerData: n });
			w.on("message", good);
			w.on("error", bad);
		});
		async function main() {
			const doubled = await Promise.all([1, 2, 3, 4].map(worker));
			check(doubled.join() === "2,4,6,8", "workers");
			for (const base of [os.tmpdir(), "."]) {
				const d = fs.mkdtempSync(path.join(base, "t-"));
				fs.writeFileSync(d + "/a", "text");
				await fs.promises.appendFile(d + "/a", " more");
				fs.renameSync(d + "/a", d + "/b");
				fs.copyFileSync(d + "/b", d + "/c");
				fs.symlinkSync("c", d + "/l");
				fs.chmodSync(d + "/c", 0o600);
				fs.truncateSync(d + "/c", 4);
				fs.utimesSync(d + "/c", 1, 1);
				check(fs.readFileSync(d + "/l", "utf8") === "text", "files");
				check(fs.statSync(d + "/c").mtimeMs === 1000, "times");
				await Promise.all([...Array(200).keys()].map(i => fs.promises.writeFile(`${d}/n${i}`, "x")));
				check(fs.readdirSync(d).length === 203, "many files");
				fs.rmSync(d, { recursive: true });
			}
			const seen = new Promise(good => fs.watch(".", (event, name) => name === "watched" && good(true)));
			fs.writeFileSync("watched", "x");
			check(await seen, "watching");
			check(cp.execSync("echo $((1 + 1))").toString() === "2\n", "exec");
			check(cp.spawnSync("cat", { input: "x".repeat(300000) }).stdout.length === 300000, "pipes");
			check(await new Promise(good => {
				const c = cp.fork(__filename, ["child"]);
				c.on("message", good);
				c.send(41);
			}) === 42, "fork");
			const server = http.createServer((q, a) => a.end("hello")).listen(0, "127.0.0.1");
			await new Promise(good => server.on("listening", good));
			check(await new Promise(good => http.get(server.address(), r => r.on("data", d => good(d.toString())))) === "hello", "server");
			server.close();
			fs.writeFileSync("result", "by node");
			console.log("done");
			process.exit(0);
		}
		main().catch(e => { console.error(e); process.exit(1); });
	END
	run -0 ward_run -- node all.js
	[ "$output" = 'done' ]
	[ "$(cat result)" = 'by node' ]
}

@test "Java: a class with threads is compiled and runs" {
	installed javac
	cat >Main.java <<-'END'
		import java.nio.file.*;
		import java.util.concurrent.*;
		import java.util.stream.*;
		public class Main {
			public static void main(String[] args) throws Exception {
				ExecutorService pool = Executors.newFixedThreadPool(8);
				int sum = 0;
				for (Future<Integer> f : pool.invokeAll(IntStream.range(0, 100).<Callable<Integer>>mapToObj(i -> () -> i)
						.collect(Collectors.toList())))
					sum += f.get();
				pool.shutdown();
				Path p = Files.createTempFile("x", "y");
				Files.writeString(p, "text");
				Files.move(p, Paths.get("result"), StandardCopyOption.REPLACE_EXISTING);
				Process q = new ProcessBuilder("sh", "-c", "exit 3").start();
				System.out.println(sum + " " + q.waitFor());
			}
		}
	END
	ward_run -- javac Main.java
	[ -e Main.class ]
	run -0 ward_run -- java Main
	[ "$output" = '4950 3' ]
	[ "$(cat result)" = text ]
}

@test "Go: a module is built, tested and runs" {
	installed go
	printf 'module example.test/m\n\ngo 1.19\n' >go.mod
	cat >main.go <<-'END'
		package main

		import (
			"fmt"
			"os"
			"os/exec"
			"sync"
		)

		func Sum(n int) int {
			var group sync.WaitGroup
			c := make(chan int, n)
			for i := 0; i < n; i++ {
				group.Add(1)
				go func(i int) { defer group.Done(); c <- i }(i)
			}
			group.Wait()
			close(c)
			sum := 0
			for i := range c {
				sum += i
			}
			return sum
		}

		func main() {
			out, err := exec.Command("echo", "child").Output()
			if err != nil || os.WriteFile("result", out, 0o644) != nil {
				os.Exit(1)
			}
			fmt.Println(Sum(1000))
		}
	END
	cat >main_test.go <<-'END'
		package main

		import "testing"

		func TestSum(t *testing.T) {
			if Sum(10) != 45 {
				t.Fatal()
			}
		}
	END
	# The packages of the library are compiled anew each time: two processes at a time, and a place for the result.
	options=(--set 'env={GOFLAGS: "-mod=mod -p=2", GOPROXY: "off", GOCACHE: "/workspace/cache", GOTMPDIR: "/workspace/tmp"}')
	mkdir tmp
	ward_run "${options[@]}" -- go build -o prog .
	run -0 ward_run -- ./prog
	[ "$output" = 499500 ]
	[ "$(cat result)" = child ]
	run -0 ./prog
	ward_run "${options[@]}" -- go vet .
	run -0 ward_run "${options[@]}" -- go test .
	[[ $output == ok* ]]
	chmod -R u+w cache
}

@test "perl and sqlite3" {
	installed perl
	run -0 ward_run -- perl -e 'my $p = fork // die; exit 3 if !$p; waitpid $p, 0; print $? >> 8; open my $f, ">", "made" or die; print $f "x"'
	[ "$output" = 3 ]
	[ "$(cat made)" = x ]
	printf 'a b\n' >file
	ward_run -- perl -pi.bak -e 's/a/c/' file # by way of a new file
	[ "$(cat file file.bak)" = $'c b\na b' ]
	ward_run -- sed -i 's/c/d/' file
	[ "$(cat file)" = 'd b' ]
	installed sqlite3
	ward_run -- sqlite3 data.db 'pragma journal_mode=wal; create table t (n); insert into t values (1), (2);' >/dev/null
	run -0 ward_run -- sqlite3 data.db 'begin; update t set n = n + 1; commit; select sum(n) from t;'
	[ "$output" = 5 ]
}

@test "tar, cp and find carry a tree about" {
	mkdir -p tree/a/b && echo x >tree/a/file && ln -s file tree/a/link && ln tree/a/file tree/a/hard && chmod 750 tree/a/b
	ward_run -- sh -c 'tar -cf t.tar tree && mkdir out && tar -xf t.tar -C out && cp -a tree copy && rm -rf tree'
	[ ! -e tree ]
	for where in out/tree copy; do
		[ "$(readlink $where/a/link)" = file ]
		[ "$(stat -c %h $where/a/hard)" = 2 ]
		[ "$(stat -c %a $where/a/b)" = 750 ]
	done
	run -0 ward_run -- sh -c 'find copy -type f | sort; find copy -delete; ls'
	[ "$output" = $'copy/a/file\ncopy/a/hard\nout\nt.tar' ]
}

# A repository of the host's at the top of the workspace, with one commit.
repository() {
	git init -q -b main . && git config user.name A && git config user.email a@example.test
	echo one >file && git add file && git commit -q -m one
}

@test "git: everyday work in a repository of the host's" {
	installed git
	repository
	printf '#!/bin/sh\ntouch ran-hook\n' >.git/hooks/pre-push && chmod +x .git/hooks/pre-push
	state=$(sha256sum .git/config .git/hooks/*)
	run -0 ward_run -- sh -ec 'git status --short; echo two >>file; git add file; git commit -q -m two; git log --oneline | wc -l'
	[ "$output" = 2 ]
	[ "$(git log -1 --format='%s %an')" = 'two A' ]
	ward_run -- sh -ec 'git switch -q -c branch; echo three >third; git add third; git commit -q -m three
		git switch -q main; git merge -q --no-ff -m merge branch; git tag v1; git stash list; echo x >>file; git stash -q
		git stash pop -q; git checkout -q file; git reset -q --hard HEAD; git gc -q; git fsck --no-progress'
	git fsck --no-progress
	[ "$(git log -1 --format=%s)" = merge ]
	[ -e third ]
	ward_run "${loose[@]}" -- git worktree add -q tree2 branch
	[ -e tree2/third ]
	[ -z "$(find .git -not -user "$(id -u)")" ]
	[ "$(sha256sum .git/config .git/hooks/*)" = "$state" ]
}

@test "git: configuration and hooks stay the host's, and ward names what was kept" {
	installed git
	repository
	state=$(sha256sum .git/config)
	run ward_run -- git config alias.x '!touch ran'
	[ "$status" != 0 ]
	[[ $output == *'ward: refused in the workspace'*.git/config* ]]
	run ward_run -- git remote add origin https://example.test/
	[ "$status" != 0 ]
	[[ $output == *.git/config* ]]
	[ "$(sha256sum .git/config)" = "$state" ]
	run ward_run -- sh -c 'echo "touch ran" >.git/hooks/post-checkout'
	[ "$status" != 0 ]
	[[ $output == *'.git/hooks/post-checkout'* ]]
	[ ! -e .git/hooks/post-checkout ]
}

@test "git: a new repository is refused with a note; below the top it is made where that is allowed" {
	installed git
	run ward_run -- git init .
	[ "$status" != 0 ]
	[[ $output == *'ward: refused in the workspace'*.git/@(hooks|config)* ]]
	[ ! -e .git/config ]
	rm -rf .git
	# One below could be made part of the whole, and then its configuration would be read on the host.
	run ward_run -- git init sub
	[ "$status" != 0 ]
	[[ $output == *'ward: refused in the workspace'*sub/.git/@(hooks|config)* ]]
	rm -rf sub
	run -0 ward_run "${loose[@]}" -- sh -ec 'git init -q sub; cd sub; git config user.name B; git config user.email b@example.test
		echo x >f; git add f; git commit -q -m x; git log --format=%s'
	[[ $output == *x ]]
	[ "$(git -C sub log -1 --format=%an)" = B ]
}

@test "git: a clone into a folder of the workspace" {
	installed git
	repository
	run ward_run -- git clone -q . copy
	[ "$status" != 0 ]
	[[ $output == *'ward: refused in the workspace'*copy/.git/* ]]
	ward_run -- git clone -q . /tmp/copy
	ward_run "${loose[@]}" -- git clone -q . copy
	[ "$(git -C copy log -1 --format=%s)" = one ]
	ward_run "${loose[@]}" -- sh -ec 'cd copy; git config user.name B; git config user.email b@example.test; echo x >>file; git commit -q -a -m two; git push -q origin HEAD:other'
	[ "$(git log -1 --format=%s other)" = two ]
	ward_run "${loose[@]}" -- git clone -q --no-local --depth 1 . shallow
	[ -e shallow/file ]
}

@test "the host may go on changing protected files while a sandbox lives, which still may not" {
	installed git
	repository
	echo 'export A=1' >.envrc
	cat >inside <<-'END'
		touch ready
		while [ ! -e go ]; do sleep 0.05; done
		for f in .git/config .envrc .git/hooks/new; do
			echo evil >>$f
			echo evil >tmp && mv -f tmp $f
			rm -f $f
			ln -sf tmp $f
		done 2>/dev/null
		cp .git/config seen-config
		cp .envrc seen-envrc
		touch tried
	END
	start -- sh inside
	git config user.name Changed                     # git writes a new file and renames it
	echo 'export A=2' >.envrc.new && mv .envrc.new .envrc # so does an editor
	cp .git/config saved && echo '# kept' >>saved && mv saved .git/config
	echo '# hook' >.git/hooks/post-merge
	state=$(sha256sum .git/config .envrc .git/hooks/*)
	touch go
	until_there tried
	ended
	[ "$(sha256sum .git/config .envrc .git/hooks/*)" = "$state" ]
	[ "$(git config user.name)" = Changed ]
	[ ! -e .git/hooks/new ] && [ ! -L .git/hooks/new ]
	# What the host wrote is seen inside.
	cmp seen-config .git/config
	cmp seen-envrc .envrc
	[[ $(cat "$BATS_TEST_TMPDIR/out") == *'ward: refused in the workspace'* ]]
}
