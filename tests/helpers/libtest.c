/* SPDX-License-Identifier: Apache-2.0 */

/*
 * libtest SCENARIO [SETTING...]: a program that uses libward, as others would write it. Says "ok"
 * at its end, or where it was disappointed. WARD is the program of ward; settings are as --set.
 */

#include <ward.h>

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define require(cond)                                                                      \
	do {                                                                               \
		if (!(cond)) {                                                             \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #cond); \
			exit(1);                                                           \
		}                                                                          \
	} while (0)

#define require_code(got, want) require_code_at(__LINE__, (got), (want), NULL)
#define require_w(w, got, want) require_code_at(__LINE__, (got), (want), (w))

static void require_code_at(int line, int got, int want, const struct ward *w)
{
	if (got == want)
		return;
	fprintf(stderr, "line %d: %s, not %s: %s\n", line, ward_strerror(got), ward_strerror(want),
		ward_message(w));
	exit(1);
}

static const char *const *settings; /* ends with NULL */

static struct ward *open_with(struct ward_options o)
{
	struct ward *w = NULL;
	char why[500] = "";
	int r;

	o.program = o.program ? o.program : getenv("WARD");
	o.set = o.set ? o.set : settings;
	o.error = why;
	o.error_size = sizeof why;
	r = ward_open(&o, &w);
	if (r < 0) {
		fprintf(stderr, "ward_open: %s: %s\n", ward_strerror(r), why);
		exit(1);
	}
	return w;
}

static struct ward *open_session(const char *session)
{
	struct ward_options o = {.session = session};

	return open_with(o);
}

static struct ward *open_plain(void)
{
	return open_session(NULL);
}

static int count_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	int count = 0;

	require(d);
	while (readdir(d))
		count++;
	closedir(d);
	return count;
}

/* A command line that must succeed, and what it prints. */
static void says(struct ward *w, const char *command, const char *text)
{
	struct ward_command c = {.command = command};
	struct ward_result r;

	require_w(w, ward_exec(w, &c, &r), WARD_OK);
	require(r.end == WARD_END_EXITED && r.exit_code == 0);
	if (strcmp(r.out, text) != 0) {
		fprintf(stderr, "'%s' says: %s\n", command, r.out);
		exit(1);
	}
	ward_result_free(&r);
}

static void scenario_exec(void)
{
	struct ward *w = open_plain();
	const char *const argv[] = {
		"sh", "-c", "cat; printf %s \"$1 $X\" >&2; exit 7", "-", "a b", NULL};
	const char *const env[] = {"X=y=z", NULL}, *const bad_env[] = {"X", NULL};
	struct ward_command c = {.argv = argv, .env = env, .input = "in\n", .input_len = 3};
	struct ward_result r;

	require_w(w, ward_exec(w, &c, &r), WARD_OK);
	require(r.end == WARD_END_EXITED && r.exit_code == 7 && r.signal == 0);
	require(strcmp(r.out, "in\n") == 0 && r.out_len == 3 && !r.out_truncated);
	require(strcmp(r.err, "a b y=z") == 0);
	require(strstr(r.json, "\"exitCode\":7") && strlen(r.json) == r.json_len);
	ward_result_free(&r);
	c = (struct ward_command){.command = "kill -9 $$"};
	require_w(w, ward_exec(w, &c, &r), WARD_OK);
	require(r.end == WARD_END_SIGNALLED && r.signal == 9);
	ward_result_free(&r);
	c = (struct ward_command){.command = "echo begun; sleep 1000", .timeout_ms = 300};
	require_w(w, ward_exec(w, &c, &r), WARD_OK);
	require(r.end == WARD_END_TIMEOUT && strcmp(r.out, "begun\n") == 0);
	ward_result_free(&r);
	c = (struct ward_command){.command = "printf '\\000\\377x'"};
	require_w(w, ward_exec(w, &c, &r), WARD_OK);
	require(r.out_len == 3 && memcmp(r.out, "\0\377x", 4) == 0);
	ward_result_free(&r);
	c = (struct ward_command){.command = "pwd", .cwd = "sub"};
	says(w, "mkdir sub", "");
	require_w(w, ward_exec(w, &c, &r), WARD_OK);
	require(strcmp(r.out, "/workspace/sub\n") == 0);
	ward_result_free(&r);
	c = (struct ward_command){.argv = argv, .env = bad_env};
	require_w(w, ward_exec(w, &c, &r), WARD_INVALID);
	c = (struct ward_command){.command = "echo \xff"};
	require_w(w, ward_exec(w, &c, &r), WARD_INVALID);
	c = (struct ward_command){.argv = argv, .command = "x"};
	require_w(w, ward_exec(w, &c, &r), WARD_INVALID);
	require(strstr(ward_message(w), "argv"));
	c = (struct ward_command){0};
	require_w(w, ward_exec(w, &c, &r), WARD_INVALID);
	says(w, "echo still here", "still here\n");
	c = (struct ward_command){.command = "echo behind", .background = 1};
	require_w(w, ward_exec(w, &c, &r), WARD_OK);
	require(r.end == WARD_END_STARTED && r.process > 0 && r.exit_code == -1);
	ward_result_free(&r);
	says(w, "echo still here", "still here\n");
	ward_close(w);
}

struct heard {
	char out[200000], err[200];
	size_t out_len, err_len;
	unsigned pieces, done;
	int error;
	uint64_t id, cancel_after;
	struct ward *w;
};

static void hear_output(
	void *ctx, uint64_t id, enum ward_stream stream, const char *data, size_t len)
{
	struct heard *h = ctx;
	char *to = stream == WARD_STDOUT ? h->out : h->err;
	size_t *at = stream == WARD_STDOUT ? &h->out_len : &h->err_len;
	struct ward_result r;
	struct ward_command c = {.command = "true"};

	h->id = id;
	h->pieces++;
	require(*at + len < (stream == WARD_STDOUT ? sizeof h->out : sizeof h->err));
	memcpy(to + *at, data, len);
	*at += len;
	require(ward_exec(h->w, &c, &r) == WARD_BUSY); /* it says so, and does not hang */
	require(ward_step(h->w) == WARD_BUSY);
	if (h->cancel_after && h->out_len >= h->cancel_after)
		require(ward_cancel(h->w, id) == WARD_OK);
}

static void hear_done(void *ctx, uint64_t id, int error, const struct ward_answer *answer)
{
	struct heard *h = ctx;

	require(id == h->id || h->id == 0);
	require(error < 0 || (answer->text && answer->json));
	h->error = error;
	h->done++;
}

/* The command ends only when somebody has heard its first line. */
static void scenario_stream(void)
{
	static struct heard h;
	struct ward_command c = {
		.command = "echo one; until [ -e go ]; do sleep 0.05; done; "
			   "echo two >&2; printf '\\377'; "
			   "i=0; while [ $i -lt 5000 ]; do echo 0123456789; i=$((i+1)); done",
		.ctx = &h,
		.on_output = hear_output};
	struct ward_result r;
	struct ward *w = open_plain();
	uint64_t id;
	struct ward_callbacks cb = {&h, hear_output, hear_done};

	h.w = w;
	says(w, "true", ""); /* the sandbox lives */
	require_w(w,
		ward_begin(w, "exec",
			"{\"command\": \"echo one; until [ -e go ]; do sleep 0.05; done\"}", &cb,
			&id),
		WARD_OK);
	while (!h.done) {
		struct pollfd f = {ward_fd(w), ward_events(w), 0};

		require(poll(&f, 1, 60000) > 0);
		require_w(w, ward_step(w), WARD_OK);
		if (h.out_len && !h.done)
			close(open("go", O_CREAT | O_WRONLY, 0666));
	}
	require(h.error == WARD_OK && strcmp(h.out, "one\n") == 0);
	memset(&h, 0, sizeof h);
	h.w = w;
	require_w(w, ward_exec(w, &c, &r), WARD_OK);
	require(h.out_len == r.out_len && memcmp(h.out, r.out, r.out_len) == 0);
	require(r.out_len == 4 + 1 + 5000 * 11);
	require(strcmp(h.err, "two\n") == 0);
	ward_result_free(&r);
	ward_close(w);
}

static void wait_all(struct ward *w, const struct heard *all, size_t count)
{
	for (size_t i = 0; i < count; i++)
		while (!all[i].done) {
			struct pollfd f = {ward_fd(w), ward_events(w), 0};

			require(poll(&f, 1, 60000) > 0);
			require_w(w, ward_step(w), WARD_OK);
		}
}

/* Many at once, each with what it asked for. */
static void scenario_async(void)
{
	static struct heard h[20];
	struct ward *w = open_plain();
	char *large = malloc(4 << 20), *back;
	size_t len;

	for (size_t i = 0; i < 20; i++) {
		struct ward_callbacks cb = {&h[i], hear_output, hear_done};
		char arguments[100];

		h[i].w = w;
		snprintf(arguments, sizeof arguments, "{\n\"command\":\n \"echo number %zu\"}\r\n",
			i);
		require_w(w, ward_begin(w, "exec", arguments, &cb, NULL), WARD_OK);
	}
	wait_all(w, h, 20);
	for (size_t i = 0; i < 20; i++) {
		char want[40];

		snprintf(want, sizeof want, "number %zu\n", i);
		require(h[i].error == WARD_OK && h[i].done == 1 && strcmp(h[i].out, want) == 0);
	}
	/* More than a socket takes at once. */
	require(large);
	memset(large, 'x', 4 << 20);
	require_w(w, ward_write(w, "large", large, 4 << 20), WARD_OK);
	says(w, "wc -c <large", "4194304\n");
	require_w(w, ward_read(w, "large", &back, &len), WARD_OK);
	require(len == 4 << 20 && memcmp(back, large, len) == 0);
	free(back);
	require(ward_begin(w, "exec", "[]", NULL, NULL) == WARD_INVALID);
	require(ward_begin(w, "exec", "{} {}", NULL, NULL) == WARD_INVALID);
	require(ward_begin(w, "exec", "{\"command\": \"a\nb\"}", NULL, NULL) == WARD_INVALID);
	require(ward_cancel(w, 12345) == WARD_NOT_FOUND);
	free(large);
	ward_close(w);
}

/* The word in the command line lets the test look for what is left. */
static void scenario_cancel(void)
{
	static struct heard h[2];
	struct ward *w = open_plain();
	char arguments[200];
	struct ward_callbacks cb = {&h[0], hear_output, hear_done};
	uint64_t id;

	h[0].w = w;
	h[0].cancel_after = 1;
	says(w, "true", "");
	snprintf(arguments, sizeof arguments, "{\"command\": \"echo begun; sleep %s\"}",
		getenv("WORD"));
	require_w(w, ward_begin(w, "exec", arguments, &cb, &id), WARD_OK);
	wait_all(w, h, 1);
	require(h[0].error == WARD_CANCELLED && h[0].done == 1);
	require(ward_cancel(w, id) == WARD_NOT_FOUND);
	says(w, "echo next", "next\n");
	/* What runs when the handle is closed is ended too, and told so. */
	cb.ctx = &h[1];
	h[1].w = w;
	require_w(w, ward_begin(w, "exec", arguments, &cb, &id), WARD_OK);
	while (!h[1].out_len) {
		struct pollfd f = {ward_fd(w), ward_events(w), 0};

		require(poll(&f, 1, 60000) > 0);
		require_w(w, ward_step(w), WARD_OK);
	}
	ward_close(w);
	require(h[1].error == WARD_CANCELLED && h[1].done == 1);
}

static void scenario_files(void)
{
	static const char bytes[] = "\0\1\2\377\n";
	struct ward *w = open_plain();
	char *data = NULL;
	size_t len = 0;
	struct ward_answer a;

	require_w(w, ward_write(w, "a.txt", "one \"two\"\n\tthree\n", 17), WARD_OK);
	require_w(w, ward_edit(w, "a.txt", "two", "2 \xc3\xa4", 0), WARD_OK);
	require_w(w, ward_read(w, "a.txt", &data, &len), WARD_OK);
	require(strcmp(data, "one \"2 \xc3\xa4\"\n\tthree\n") == 0 && len == strlen(data));
	free(data);
	require_w(w, ward_write(w, "b.bin", bytes, 5), WARD_OK);
	require_w(w, ward_read(w, "b.bin", &data, &len), WARD_OK);
	require(len == 5 && memcmp(data, bytes, 5) == 0);
	free(data);
	require_w(w, ward_write(w, "empty", NULL, 0), WARD_OK);
	require_w(w, ward_read(w, "empty", &data, &len), WARD_OK);
	require(len == 0 && data[0] == '\0');
	free(data);
	require_w(w, ward_read(w, "none", &data, &len), WARD_NOT_FOUND);
	require(strstr(ward_message(w), "none"));
	require(ward_read(w, "../outside", &data, &len) < 0);
	require(ward_read(w, "/etc/passwd", &data, &len) < 0);
	require(ward_edit(w, "a.txt", "nowhere", "x", 0) < 0);
	require_w(w, ward_patch(w, "--- a/a.txt\n+++ b/a.txt\n@@ -2 +2 @@\n-\tthree\n+\t3\n"),
		WARD_OK);
	says(w, "tail -n 1 a.txt", "\t3\n");
	require_w(w, ward_list(w, NULL, 0, &data), WARD_OK);
	require(strstr(data, "\"a.txt\"") && strstr(data, "\"b.bin\""));
	free(data);
	require_w(w, ward_search(w, "one", NULL, &data), WARD_OK);
	require(strstr(data, "a.txt"));
	free(data);
	require_w(w, ward_status(w, &data), WARD_OK);
	require(strstr(data, "\"session\":\"agent:main:main\""));
	free(data);
	require_w(w, ward_tools(w, &data), WARD_OK);
	require(strstr(data, "\"name\":\"exec\""));
	free(data);
	require_w(w, ward_call(w, "read", "{\"path\": \"a.txt\", \"line\": 2}", &a), WARD_OK);
	require(!a.failed && strcmp(a.text, "\t3\n") == 0 && strstr(a.json, "\"line\":2"));
	ward_answer_free(&a);
	require_w(w, ward_call(w, "exec", "{\"command\": \"exit 3\"}", &a), WARD_OK);
	require(a.failed && strstr(a.json, "\"exitCode\":3"));
	ward_answer_free(&a);
	ward_close(w);
}

/* The settings deny `write`. */
static void scenario_denied(void)
{
	struct ward *w = open_plain();
	struct ward_answer a;
	char *tools;

	require_w(w, ward_write(w, "a", "x", 1), WARD_NOT_FOUND);
	require(strstr(ward_message(w), "write"));
	require_w(w, ward_call(w, "nonsense", NULL, &a), WARD_NOT_FOUND);
	require_w(w, ward_call(w, "exec", "{\"comand\": \"true\"}", &a), WARD_INVALID);
	ward_answer_free(&a);
	require_w(w, ward_call(w, "exec", "{\"command\": \"a\", \"command\": \"b\"}", &a),
		WARD_INVALID);
	ward_answer_free(&a);
	require_w(w, ward_tools(w, &tools), WARD_OK);
	require(!strstr(tools, "\"name\":\"write\"") && strstr(tools, "\"name\":\"read\""));
	free(tools);
	says(w, "echo works", "works\n");
	ward_close(w);
}

/* CONFIG, whose agent `listed` is taken out of it: everything it asks for is refused. */
static void scenario_revoked(void)
{
	const char *path = getenv("CONFIG");
	struct ward_options o = {.config = path, .agent = "listed"};
	struct ward *w = open_with(o);
	struct ward_command c = {.command = "touch ran"};
	struct ward_result r;
	char *text;
	size_t len;
	FILE *f;

	says(w, "echo $WHO", "listed\n");
	f = fopen(path, "w");
	require(f && fputs("{}\n", f) > 0 && fclose(f) == 0);
	require_w(w, ward_exec(w, &c, &r), WARD_DENIED);
	require(strstr(ward_message(w), "was taken out of the configuration"));
	require_w(w, ward_read(w, "there", &text, &len), WARD_DENIED);
	require_w(w, ward_write(w, "ran", "x", 1), WARD_DENIED);
	require(access("ran", F_OK) < 0);
	ward_close(w);
	w = open_with(o); /* with the defaults */
	says(w, "echo x$WHO", "x\n");
	ward_close(w);
}

struct asked {
	enum ward_consent consent;
	unsigned count;
	uint64_t id;
	char text[4000];
};

static enum ward_consent answer_approval(void *ctx, const struct ward_approval *q)
{
	struct asked *a = ctx;

	a->count++;
	a->id = q->id;
	snprintf(a->text, sizeof a->text, "%s", q->text);
	return a->consent;
}

/* The configuration makes `touch` a matter of approval. MARK is a file that it would make. */
static void scenario_approval(void)
{
	static struct asked asked;
	static struct heard h;
	const char *mark = getenv("MARK");
	struct ward_options o = {
		.config = getenv("CONFIG"), .ctx = &asked, .on_approval = answer_approval};
	struct ward *w = open_with(o);
	struct ward_callbacks cb = {&h, NULL, hear_done};
	struct ward_result r;
	const char *argv[] = {"touch", mark, NULL};
	struct ward_command c = {.argv = argv};
	char arguments[500];

	asked.consent = WARD_NO;
	require_w(w, ward_exec(w, &c, &r), WARD_DENIED);
	require(asked.count == 1 && strstr(asked.text, "touch") && strstr(asked.text, mark));
	require(access(mark, F_OK) < 0);
	asked.consent = WARD_LATER;
	snprintf(arguments, sizeof arguments, "{\"argv\": [\"touch\", \"%s\"]}", mark);
	require_w(w, ward_begin(w, "exec", arguments, &cb, NULL), WARD_OK);
	while (asked.count < 2) {
		struct pollfd f = {ward_fd(w), ward_events(w), 0};

		require(poll(&f, 1, 60000) > 0);
		require_w(w, ward_step(w), WARD_OK);
	}
	require(!h.done && access(mark, F_OK) < 0);
	require_w(w, ward_decide(w, asked.id, WARD_NO, "use mkdir"), WARD_OK);
	wait_all(w, &h, 1);
	require(h.error == WARD_DENIED && strstr(ward_message(w), "use mkdir"));
	asked.consent = WARD_YES;
	require_w(w, ward_exec(w, &c, &r), WARD_OK);
	require(r.exit_code == 0 && access(mark, F_OK) == 0);
	ward_result_free(&r);
	ward_close(w);
}

static void hear_log(void *ctx, const char *level, const char *text)
{
	unsigned *count = ctx;

	*count += strcmp(level, "warning") == 0 && strstr(text, "ward approve") != NULL;
}

/* Nobody can be asked here, and nobody answers elsewhere. */
static void scenario_unasked(void)
{
	unsigned logged = 0;
	const char *mark = getenv("MARK");
	struct ward_options o = {.config = getenv("CONFIG"), .ctx = &logged, .on_log = hear_log};
	struct ward *w = open_with(o);
	const char *argv[] = {"touch", mark, NULL};
	struct ward_command c = {.argv = argv};
	struct ward_result r;

	require_w(w, ward_exec(w, &c, &r), WARD_TIMEOUT);
	require(logged == 1 && access(mark, F_OK) < 0);
	ward_close(w);
}

static void kill_ward(void)
{
	char path[64], pid[32] = "";
	FILE *f;

	snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
	f = fopen(path, "r");
	require(f && fgets(pid, sizeof pid, f));
	fclose(f);
	require(strtol(pid, NULL, 10) > 1);
	require(kill((pid_t)strtol(pid, NULL, 10), SIGKILL) == 0);
}

static void scenario_lost(void)
{
	static struct heard h;
	struct ward *w = open_plain();
	struct ward_callbacks cb = {&h, NULL, hear_done};
	struct ward_command c = {.command = "true"};
	struct ward_result r;
	char *data;
	size_t len;

	says(w, "true", "");
	require_w(w, ward_begin(w, "exec", "{\"command\": \"sleep 1000\"}", &cb, NULL), WARD_OK);
	kill_ward();
	while (!h.done) {
		struct pollfd f = {ward_fd(w), ward_events(w), 0};

		require(poll(&f, 1, 60000) > 0);
		ward_step(w);
	}
	require(h.error == WARD_LOST && h.done == 1);
	require_w(w, ward_exec(w, &c, &r), WARD_LOST);
	require_w(w, ward_read(w, "x", &data, &len), WARD_LOST);
	require(ward_step(w) == WARD_LOST);
	require(strstr(ward_message(w), "has ended"));
	ward_close(w);
	w = open_plain(); /* another one works */
	says(w, "echo again", "again\n");
	ward_close(w);
}

static void scenario_two(void)
{
	struct ward *a = open_session("a"), *b = open_session("b");

	says(a, "echo a >/tmp/mark; cat /tmp/mark", "a\n");
	says(b, "echo b >/tmp/mark; cat /tmp/mark", "b\n");
	says(a, "cat /tmp/mark", "a\n");
	ward_close(a);
	says(b, "cat /tmp/mark", "b\n");
	ward_close(b);
}

static void *thread(void *ctx)
{
	char command[60], want[40];
	struct ward *w = open_plain();

	for (int i = 0; i < 5; i++) {
		snprintf(command, sizeof command, "echo %s %d", (const char *)ctx, i);
		snprintf(want, sizeof want, "%s %d\n", (const char *)ctx, i);
		says(w, command, want);
	}
	ward_close(w);
	return NULL;
}

/* Threads with handles of their own, in a program that has children of its own, too. */
static void scenario_threads(void)
{
	static const char *const names[] = {"a", "b", "c", "d"};
	pthread_t threads[4];
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(42);
	for (int i = 0; i < 4; i++)
		require(pthread_create(&threads[i], NULL, thread, (void *)names[i]) == 0);
	for (int i = 0; i < 4; i++)
		require(pthread_join(threads[i], NULL) == 0);
	/* Nobody has taken its end from us. */
	require(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 42);
	require(waitpid(-1, &status, 0) < 0);
}

/* Nothing grows, whatever the ends were; and the program's own descriptors are not ward's. */
static void scenario_leaks(void)
{
	struct ward_options nowhere = {.program = "/nonexistent/ward"},
			    wrong = {.config = "none.json5"};
	struct ward *w;
	struct ward_result r;
	struct ward_command c = {.command = "true"};
	const char *const nonsense[] = {"nonsense=1", NULL};
	int before = count_fds(), own, status;
	char why[300];

	wrong.program = getenv("WARD");
	nowhere.error = wrong.error = why;
	nowhere.error_size = wrong.error_size = sizeof why;
	own = dup(0);
	require(own >= 0);
	for (int i = 0; i < 5; i++) {
		w = open_plain();
		require_w(w, ward_exec(w, &c, &r), WARD_OK);
		ward_result_free(&r);
		require(ward_write(w, "../x", "", 0) < 0);
		ward_close(w);
		require(ward_open(&nowhere, &w) == WARD_SYSTEM && strstr(why, "/nonexistent/ward"));
		require(ward_open(&wrong, &w) == WARD_SYSTEM && strstr(why, "none.json5"));
		wrong.config = NULL;
		wrong.set = nonsense;
		require(ward_open(&wrong, &w) == WARD_LOST && strstr(why, "nonsense"));
		wrong.config = "none.json5";
		wrong.set = NULL;
	}
	close(own);
	require(count_fds() == before);
	require(waitpid(-1, &status, WNOHANG) < 0); /* no child is left */
	ward_close(NULL);
	ward_answer_free(NULL);
	ward_result_free(NULL);
}

/* A program that ignores SIGCHLD, has closed its standard streams, and forks. */
static void scenario_strange(void)
{
	struct ward *w;
	pid_t child;
	int status, kept = fcntl(1, F_DUPFD, 10);

	signal(SIGCHLD, SIG_IGN);
	close(0);
	close(1);
	w = open_plain();
	says(w, "echo one", "one\n");
	signal(SIGCHLD, SIG_DFL);
	child = fork();
	if (child == 0) {
		ward_close(w); /* of a copy: the handle itself goes on */
		_exit(0);
	}
	require(waitpid(child, &status, 0) == child && status == 0);
	says(w, "echo two", "two\n");
	ward_close(w);
	require(dup2(kept, 1) == 1);
}

/* Lines of a tool, a tab, and its arguments; of each, how it ended and the answer. */
static void scenario_calls(void)
{
	struct ward *w = open_plain();
	char *line = NULL, *arguments;
	size_t room = 0;

	while (getline(&line, &room, stdin) > 0) {
		struct ward_answer a;
		int r;

		arguments = strchr(line, '\t');
		require(arguments);
		*arguments++ = '\0';
		r = ward_call(w, line, arguments, &a);
		printf("%s %d %zu\n",
			r == WARD_NOT_FOUND ? "not-found"
			: r                 ? "error"
					    : "done",
			a.failed, a.json_len);
		fwrite(a.json, 1, a.json_len, stdout);
		ward_answer_free(&a);
	}
	free(line);
	ward_close(w);
}

static const struct {
	const char *name;
	void (*run)(void);
} scenarios[] = {
	{"calls", scenario_calls},
	{"exec", scenario_exec},
	{"stream", scenario_stream},
	{"async", scenario_async},
	{"cancel", scenario_cancel},
	{"files", scenario_files},
	{"denied", scenario_denied},
	{"revoked", scenario_revoked},
	{"approval", scenario_approval},
	{"unasked", scenario_unasked},
	{"lost", scenario_lost},
	{"two", scenario_two},
	{"threads", scenario_threads},
	{"leaks", scenario_leaks},
	{"strange", scenario_strange},
};

int main(int argc, char **argv)
{
	settings = (const char *const *)argv + (argc > 1 ? 2 : 1);
	require(ward_api_version() == WARD_API_VERSION);
	for (size_t i = 0; argc > 1 && i < sizeof scenarios / sizeof *scenarios; i++)
		if (strcmp(scenarios[i].name, argv[1]) == 0) {
			scenarios[i].run();
			puts("ok");
			return 0;
		}
	fprintf(stderr, "usage: libtest SCENARIO [SETTING...]\n");
	return 2;
}
