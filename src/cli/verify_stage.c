/* SPDX-License-Identifier: Apache-2.0 */

/* What stands on the host while attempts are made: folders, a canary, listeners, a victim. */

#include "base/cleanup.h"
#include "base/str.h"
#include "cli/verify.h"
#include "sys/file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t stopped, signalled;

static void on_stop(int number)
{
	(void)number;
	stopped = 1;
}

static void on_signal(int number)
{
	(void)number;
	signalled = 1;
}

bool verify_stage_stopped(void)
{
	return stopped;
}

bool verify_stage_signalled(void)
{
	bool was = signalled;

	signalled = 0;
	return was;
}

static void watch_signals(void)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	struct sigaction stop = {.sa_handler = on_stop}, urgent = {.sa_handler = on_signal};

	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		sigaction(ends[i], &stop, NULL);
	sigaction(SIGURG, &urgent, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static int make_token(char out[VERIFY_TOKEN], struct err *e)
{
	unsigned char bytes[(VERIFY_TOKEN - 1) / 2];

	if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
		return err_sys(e, -errno, "get random bytes");
	for (size_t i = 0; i < sizeof bytes; i++)
		snprintf(out + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

static int write_file(const char *path, mode_t mode, const char *text, struct err *e)
{
	auto_fd int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
	size_t len = strlen(text);

	if (fd < 0 || fchmod(fd, mode) < 0 || write(fd, text, len) != (ssize_t)len)
		return err_sys(e, -errno, "write '%s'", path);
	return 0;
}

static int make_folder(const char *path, mode_t mode, struct err *e)
{
	if (mkdir(path, 0700) < 0 || chmod(path, mode) < 0)
		return err_sys(e, -errno, "make the folder '%s'", path);
	return 0;
}

/* The payload is ward itself; the copy lies where binding is allowed. */
static int copy_program(const char *to, struct err *e)
{
	auto_fd int in = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	auto_fd int out = open(to, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0700);
	char chunk[65536];
	ssize_t n = 1;

	if (in < 0 || out < 0 || fchmod(out, 0755) < 0)
		return err_sys(e, -errno, "copy this program to '%s'", to);
	while (n > 0) {
		n = read(in, chunk, sizeof chunk);
		if (n < 0 || (n > 0 && write(out, chunk, (size_t)n) != n))
			return err_sys(e, -errno, "copy this program to '%s'", to);
	}
	return 0;
}

/* A project's own file tightens the policy: the temporary workspace gets it too. */
static void copy_settings(struct verify *v)
{
	const char *from = v->plan.workspace_path;
	char path[PATH_MAX], text[16384];
	struct verify_stage *s = &v->stage;
	ssize_t n;

	if (!from || snprintf(path, sizeof path, "%s/.ward.json5", from) >= (int)sizeof path)
		return;
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (n < 0)
		return;
	text[n] = '\0';
	snprintf(path, sizeof path, "%s/.ward.json5", s->workspace);
	write_file(path, 0644, text, NULL);
}

/*
 * Anybody could read and write the canary, were it not for the names: the base cannot be listed. So
 * it is the sandbox that keeps a program from it, whatever user it runs as.
 */
static int make_folders(struct verify *v, const char *parent, struct err *e)
{
	struct verify_stage *s = &v->stage;
	char path[VERIFY_PATH + 64];
	const char *const folders[] = {".git", ".git/hooks", "bin"};
	int r;

	if (snprintf(s->base, sizeof s->base - 64, "%s/ward-verify.XXXXXX", parent) >=
		(int)sizeof s->base - 64)
		return err_set(e, ENAMETOOLONG, "'%.100s...' is too long", parent);
	if (!mkdtemp(s->base))
		return err_sys(e, -errno, "make a temporary folder in '%s'", parent);
	s->ready = true;
	snprintf(s->outside, sizeof s->outside, "%.400s/%s", s->base, s->token);
	snprintf(s->workspace, sizeof s->workspace, "%.400s/workspace", s->base);
	snprintf(s->program, sizeof s->program, "%.400s/ward", s->base);
	if (chmod(s->base, 0711) < 0)
		return err_sys(e, -errno, "open '%s' to others", s->base);
	r = make_folder(s->outside, 0777, e);
	if (r == 0)
		r = make_folder(s->workspace, 0755, e);
	for (size_t i = 0; r == 0 && i < ARRAY_LEN(folders); i++) {
		snprintf(path, sizeof path, "%s/%s", s->workspace, folders[i]);
		r = make_folder(path, 0755, e);
	}
	if (r == 0)
		r = copy_program(s->program, e);
	return r;
}

static int make_files(struct verify *v, struct err *e)
{
	const struct verify_stage *s = &v->stage;
	char path[VERIFY_PATH + 64];
	int r;

	snprintf(path, sizeof path, "%s/canary", s->outside);
	r = write_file(path, 0666, s->token, e);
	snprintf(path, sizeof path, "%s/.git/config", s->workspace);
	if (r == 0)
		r = write_file(path, 0644, s->token, e);
	snprintf(path, sizeof path, "%s/.env", s->workspace);
	if (r == 0)
		r = write_file(path, 0644, s->token, e);
	snprintf(path, sizeof path, "%s/link", s->workspace);
	if (r == 0 && symlink(s->outside, path) < 0)
		r = err_sys(e, -errno, "make the link '%s'", path);
	if (r == 0)
		copy_settings(v);
	return r;
}

static int listen_at(int type, const void *address, socklen_t len, const char *what, struct err *e)
{
	const struct sockaddr *at = address;
	auto_fd int fd = socket(at->sa_family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0 || bind(fd, at, len) < 0 || (type == SOCK_STREAM && listen(fd, 16) < 0))
		return err_sys(e, -errno, "listen at %s", what);
	return take_fd(&fd);
}

static unsigned port_of(int fd)
{
	struct sockaddr_in6 at = {0}; /* the port is at the same place in both families */
	socklen_t len = sizeof at;

	if (fd < 0 || getsockname(fd, (struct sockaddr *)&at, &len) < 0)
		return 0;
	return ntohs(at.sin6_port);
}

/* What cannot be listened at is not tried. */
static void open_ears(struct verify_stage *s)
{
	struct sockaddr_in four = {.sin_family = AF_INET};
	struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	struct sockaddr_un hidden = {.sun_family = AF_UNIX}, file = {.sun_family = AF_UNIX};
	int n;

	four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	s->ear[EAR_TCP4] = listen_at(SOCK_STREAM, &four, sizeof four, "127.0.0.1", NULL);
	s->ear[EAR_TCP6] = listen_at(SOCK_STREAM, &six, sizeof six, "::1", NULL);
	s->ear[EAR_UDP] = listen_at(SOCK_DGRAM, &four, sizeof four, "127.0.0.1", NULL);
	n = snprintf(hidden.sun_path + 1, sizeof hidden.sun_path - 1, "ward-%s", s->token);
	s->ear[EAR_ABSTRACT] = listen_at(SOCK_STREAM, &hidden,
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n), "a name",
		NULL);
	n = snprintf(file.sun_path, sizeof file.sun_path, "%s/socket", s->outside);
	if (n < (int)sizeof file.sun_path)
		s->ear[EAR_FILE] = listen_at(SOCK_STREAM, &file, sizeof file, file.sun_path, NULL);
	if (s->ear[EAR_FILE] >= 0)
		chmod(file.sun_path, 0777);
	for (int i = 0; i < EAR_COUNT; i++)
		s->port[i] = i <= EAR_UDP ? port_of(s->ear[i]) : 0;
}

bool verify_stage_heard(struct verify_stage *s)
{
	bool heard = false;
	char byte;

	for (int i = 0; i < EAR_COUNT; i++) {
		int fd;

		if (s->ear[i] < 0)
			continue;
		while (i == EAR_UDP && recv(s->ear[i], &byte, 1, MSG_DONTWAIT) >= 0)
			heard = true;
		while (i != EAR_UDP && (fd = accept(s->ear[i], NULL, NULL)) >= 0) {
			close(fd);
			heard = true;
		}
	}
	return heard;
}

/*
 * Named by the token, so that whoever lists processes has something to find. It takes no signal, so
 * that one that came stays to be seen.
 */
static int start_victim(struct verify_stage *s, struct err *e)
{
	pid_t parent = getpid();
	sigset_t all, before;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	s->victim = fork();
	if (s->victim == 0) {
		prctl(PR_SET_NAME, s->token, 0, 0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		while (getppid() == parent)
			pause();
		_exit(0);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return s->victim < 0 ? err_sys(e, -errno, "start a process") : 0;
}

static void end_victim(struct verify_stage *s)
{
	if (s->victim <= 0)
		return;
	kill(s->victim, SIGKILL);
	while (waitpid(s->victim, NULL, 0) < 0 && errno == EINTR)
		;
	s->victim = 0;
}

/* The kernel's list of signals that wait for a process; a process that is gone was hit, too. */
bool verify_stage_hit(struct verify_stage *s)
{
	static const char line[] = "\nShdPnd:\t", none[] = "0000000000000000";
	char path[32], text[4096] = "";
	const char *at;

	snprintf(path, sizeof path, "/proc/%d/status", (int)s->victim);
	file_read_small(path, text, sizeof text);
	at = strstr(text, line);
	if (at && strncmp(at + strlen(line), none, strlen(none)) == 0)
		return false;
	end_victim(s);
	start_victim(s, NULL);
	return true;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
	(void)st;
	(void)kind;
	(void)where;
	remove(path);
	return 0;
}

void verify_stage_free(struct verify_stage *s)
{
	end_victim(s);
	for (int i = 0; i < EAR_COUNT; i++)
		if (s->ear[i] > 0)
			close(s->ear[i]);
	if (s->canary > 0)
		close(s->canary);
	/* Links are not followed, and nobody is left who could put one in the way. */
	if (s->ready)
		nftw(s->base, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	s->ready = false;
}

/* Does a sandbox start here at all? Its record says what enforces what. */
static int first_run(struct verify *v, struct err *e)
{
	static const char *const payload[] = {"hello", NULL};
	struct verify_run run;

	verify_run_inside(v, payload, NULL, &run);
	if (!run.ran || run.exit_code != 0)
		return err_set(e, ENOTSUP, "no sandbox to be tried: %s",
			run.error ? run.error : "the payload cannot be run in it");
	for (int i = 0; i < LAYER_COUNT; i++) {
		const struct node *n = tree_get(tree_get(run.record, "enforced"), layer_names[i]);

		v->mechanism[i] = n && n->type == NODE_TEXT ? n->text : "none";
	}
	return 0;
}

static int make_in(struct verify *v, const char *parent, struct err *e)
{
	struct verify_stage *s = &v->stage;
	char path[VERIFY_PATH + 64];
	int r;

	memset(s->ear, -1, sizeof s->ear);
	r = make_token(s->token, e);
	if (r == 0)
		r = make_folders(v, parent, e);
	if (r == 0)
		r = make_files(v, e);
	if (r == 0)
		r = start_victim(s, e);
	if (r < 0)
		return r;
	open_ears(s);
	snprintf(path, sizeof path, "%s/canary", s->outside);
	s->canary = open(path, O_RDONLY);
	setenv(VERIFY_SECRET, s->token, 1);
	s->inside_program = "/mnt/ward";
	r = first_run(v, e);
	if (r == 0 || v->plan.workspace == WORKSPACE_NONE)
		return r;
	/* Perhaps nothing may be bound; the workspace is there anyhow. */
	snprintf(path, sizeof path, "%s/ward", s->workspace);
	if (copy_program(path, NULL) < 0)
		return r;
	s->inside_program = "/workspace/ward";
	return first_run(v, NULL) == 0 ? 0 : r;
}

int verify_stage_make(struct verify *v, struct err *e)
{
	const char *const parents[] = {getenv("TMPDIR"), "/tmp", "/var/tmp"};
	bool tried = false;
	int r = err_set(e, EINTR, "interrupted");

	watch_signals();
	v->stage.home = getenv("HOME");
	for (size_t i = 0; i < ARRAY_LEN(parents) && r < 0 && !stopped; i++) {
		struct err later;

		if (!parents[i] || parents[i][0] != '/')
			continue;
		r = make_in(v, parents[i], tried ? &later : e); /* the first reason is told */
		if (r < 0)
			verify_stage_free(&v->stage);
		tried = true;
	}
	return r;
}

const char *verify_stage_text(struct verify *v, const char *text, enum verify_place place)
{
	const struct verify_stage *s = &v->stage;
	char victim[16], caller[16], ports[3][16];
	const struct {
		const char *word, *value;
	} words[] = {
		{"{outside}", s->outside},
		{"{workspace}", place == VERIFY_HOST ? s->workspace : "/workspace"},
		{"{home}", s->home},
		{"{token}", s->token},
		{"{victim}", victim},
		{"{caller}", caller},
		{"{tcp4}", ports[EAR_TCP4]},
		{"{tcp6}", ports[EAR_TCP6]},
		{"{udp}", ports[EAR_UDP]},
	};
	auto_(buf_free) struct buf out = BUF(4 * VERIFY_PATH);

	snprintf(victim, sizeof victim, "%d", (int)s->victim);
	snprintf(caller, sizeof caller, "%d", (int)getpid());
	for (int i = 0; i <= EAR_UDP; i++)
		snprintf(ports[i], sizeof ports[i], "%u", s->port[i]);
	while (*text) {
		size_t i = 0;

		while (i < ARRAY_LEN(words) && !str_starts(text, words[i].word))
			i++;
		if (i == ARRAY_LEN(words)) {
			buf_putc(&out, *text++);
			continue;
		}
		buf_puts(&out, words[i].value ? words[i].value : "/nonexistent");
		text += strlen(words[i].word);
	}
	return arena_printf(v->call->arena, "%s", buf_text(&out));
}
