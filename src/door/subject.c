/* SPDX-License-Identifier: Apache-2.0 */
#include "door/subject.h"

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/str.h"
#include "base/vec.h"
#include "engine/keeper.h"
#include "model/bindspec.h"
#include "model/runner.h"
#include "state/place.h"
#include "sys/trail.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define SCRIPT_MAX (16u << 20)
#define HEAD 256 /* of a script: as much of its first line as the kernel reads */

struct search {
	const struct subject_request *q;
	struct arena *arena;
	struct trail_rules rules;
	struct err *e;
};

struct places {
	struct trail_place *items;
	size_t count, capacity;
};

static void bar(struct arena *a, struct places *p, const char *path, const char *what)
{
	struct trail_place place;

	if (path && path[0] && trail_place(path, what, &place) == 0)
		vec_push(a, &p->items, &p->count, &p->capacity, place);
}

static void bar_living(struct arena *a, struct places *p)
{
	struct err unused = {0};
	auto_fd int place = place_open(a, &unused);
	struct place_row *rows;
	size_t count;

	if (place < 0 || place_list(place, a, &rows, &count) < 0)
		return;
	for (size_t i = 0; i < count; i++)
		if (rows[i].alive && !rows[i].broken)
			bar(a, p, rows[i].card.workspace, "the workspace of another sandbox");
}

static void bar_binds(const struct subject_request *q, struct arena *a, struct places *p)
{
	const struct opt_list *binds = &q->verdict->effective->s.sandbox.binds;

	for (size_t i = 0; i < binds->count; i++) {
		struct bindspec spec;
		struct err unused = {0};

		if (bindspec_parse(a, binds->items[i].text, q->config->home, &spec, &unused) == 0 &&
			spec.writable)
			bar(a, p, spec.source, "which is bound into sandboxes, writable");
	}
}

/* Where a sandbox can write, now or when the next one is started here. */
static void find_barred(const struct subject_request *q, struct arena *a, struct trail_rules *ret)
{
	struct places p = {.items = arena_array(a, 8, sizeof *p.items), .capacity = 8};
	const struct opt_text *path = &q->verdict->effective->s.sandbox.workspace_path;
	char cwd[32];

	snprintf(cwd, sizeof cwd, "/proc/self/fd/%d", q->cwd);
	bar(a, &p, q->cwd < 0 ? "." : cwd, "the workspace, where sandboxes can write");
	bar(a, &p, q->workspace, "the workspace, where sandboxes can write");
	if (path->at.source)
		bar(a, &p, path->v, "the workspace, where sandboxes can write");
	bar_binds(q, a, &p);
	bar_living(a, &p);
	for (size_t i = 0; q->config->own[i]; i++)
		bar(a, &p, q->config->own[i], "a folder of ward's own");
	*ret = (struct trail_rules){
		.caller = geteuid(), .barred = p.items, .barred_count = p.count};
}

static bool is_executable(int fd)
{
	return syscall(SYS_faccessat2, fd, "", X_OK, AT_EMPTY_PATH) == 0;
}

/* One file, held: a descriptor. */
static int take(struct search *s, const char *path, struct subject_file *ret, bool *ret_fixed)
{
	char real[PATH_MAX];
	struct stat st;
	auto_fd int fd = trail_open(s->q->cwd, path, &s->rules, real, &st, s->e);
	int r;

	if (fd < 0)
		return take_fd(&fd);
	if (!is_executable(fd))
		return -EACCES;
	r = keeper_digest(fd, ret->hash);
	if (r < 0)
		return r;
	ret->path = arena_text(s->arena, real, strlen(real));
	ret->device = st.st_dev;
	ret->inode = st.st_ino;
	*ret_fixed = st.st_uid == 0 && geteuid() != 0;
	return take_fd(&fd);
}

static const char *path_of(const char *const *env)
{
	for (size_t i = 0; env[i]; i++)
		if (str_starts(env[i], "PATH="))
			return env[i] + 5;
	return "/usr/bin:/bin";
}

/* By PATH, of which only whole paths count; the first that is there, or refused. */
static int find(struct search *s, const char *name, struct subject_file *ret, bool *ret_fixed)
{
	const char *list = path_of(s->q->env);
	char path[PATH_MAX];

	if (strchr(name, '/'))
		return take(s, name, ret, ret_fixed);
	while (*name && *list) {
		size_t len = strcspn(list, ":");
		int n = snprintf(path, sizeof path, "%.*s/%s", (int)len, list, name), r;

		if (list[0] == '/' && n > 0 && (size_t)n < sizeof path) {
			r = take(s, path, ret, ret_fixed);
			if (r != -ENOENT && r != -ENOTDIR && r != -EACCES)
				return r;
		}
		list += len + (list[len] == ':');
	}
	return -ENOENT;
}

/* Lists of places, with colons between them, in which programs look for what they run or load. In
 * most of them an empty place is the current folder. */
static const char *const lists[] = {"PATH", "LD_LIBRARY_PATH", "GCONV_PATH", "PYTHONPATH",
	"PERL5LIB", "PERLLIB", "RUBYLIB", "GEM_PATH", "NODE_PATH", "CLASSPATH", "GIT_EXEC_PATH",
	NULL};

/* Is it there, and no sandbox can write to it, now or by a link on the way? */
static bool is_apart(const struct trail_rules *rules, const char *path)
{
	struct err unused = {0};
	int r = path[0] == '/' ? trail_folder(path, rules, &unused) : -EPERM;

	return r == 0 || r == -ENOTDIR;
}

/* "NAME=places" with those that are apart; NULL: there is none. */
static const char *clean_list(struct search *s, const char *text, size_t name)
{
	struct trail_rules rules = s->rules;
	auto_(buf_free) struct buf kept = BUF(128u << 10);
	const char *list = text + name + 1;
	char path[PATH_MAX];

	rules.barred_only = true;
	while (*list) {
		size_t len = strcspn(list, ":");

		snprintf(path, sizeof path, "%.*s", (int)(len < sizeof path ? len : 0), list);
		if (is_apart(&rules, path))
			buf_printf(&kept, ":%s", path);
		list += len + (list[len] == ':');
	}
	return kept.len ? arena_printf(s->arena, "%.*s=%s", (int)name, text, kept.data + 1) : NULL;
}

/* Whatever the program looks for by name comes from where the program itself could have been. */
static const char *const *clean_env(struct search *s)
{
	const char *const *env = s->q->env;
	const char **clean;
	size_t count = 0, at = 0;

	while (env[count])
		count++;
	clean = arena_array(s->arena, count + 1, sizeof *clean);
	for (size_t i = 0; i < count; i++) {
		const char *word = env[i];

		for (size_t k = 0; lists[k] && word == env[i]; k++) {
			size_t len = strlen(lists[k]);

			if (strncmp(word, lists[k], len) == 0 && word[len] == '=')
				word = clean_list(s, word, len);
		}
		if (!word && str_starts(env[i], "PATH="))
			word = "PATH=/usr/bin:/bin";
		if (word)
			clean[at++] = word;
	}
	return clean;
}

static int refuse_script(struct search *s, const char *path, const char *why)
{
	auto_(buf_free) struct buf shown = BUF(200);

	escape_text(&shown, path);
	return err_set(s->e, EPERM, "the script '%s' is not run outside the sandbox: %s",
		buf_text(&shown), why);
}

/* "#!/path [one argument]". 0: it is no script. */
static int read_head(int fd, char head[HEAD], char **ret_program, char **ret_argument)
{
	ssize_t n = pread(fd, head, HEAD - 1, 0);
	char *at, *end;

	if (n < 2 || head[0] != '#' || head[1] != '!')
		return 0;
	head[n] = '\0';
	end = strchr(head, '\n');
	if (!end)
		return -ENOEXEC;
	while (end > head && strchr(" \t\r\n", *end))
		*end-- = '\0';
	at = head + 2 + strspn(head + 2, " \t");
	*ret_program = at;
	at += strcspn(at, " \t");
	if (*at) {
		*at++ = '\0';
		at += strspn(at, " \t");
	}
	*ret_argument = at;
	return (*ret_program)[0] == '/' ? 1 : -ENOEXEC;
}

/* Bytes that nobody can change any more: those that were hashed. */
static int seal(int fd, uint8_t hash[SHA256_SIZE])
{
	auto_fd int copy =
		(int)syscall(SYS_memfd_create, "ward-script", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	char block[16 << 10];
	off_t at = 0;
	ssize_t n;

	if (copy < 0)
		return -errno;
	while ((n = pread(fd, block, sizeof block, at)) > 0) {
		if (write(copy, block, (size_t)n) != n)
			return -EIO;
		at += n;
		if (at > (off_t)SCRIPT_MAX)
			return -EFBIG;
	}
	if (n < 0)
		return -errno;
	if (fcntl(copy, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) < 0)
		return -errno;
	n = keeper_digest(copy, hash);
	return n < 0 ? (int)n : take_fd(&copy);
}

/* Parts of the system, which only root can change and which may look for what lies beside them. */
static bool is_system(const struct subject_file *f, bool fixed)
{
	return fixed && str_starts(f->path, "/usr/");
}

static void script_words(struct search *s, struct subject *io, const char *program,
	const char *argument, const char *name)
{
	size_t count = 0, at = 0;
	const char **argv;

	while (s->q->argv[count])
		count++;
	argv = arena_array(s->arena, count + 4, sizeof *argv);
	argv[at++] = arena_text(s->arena, program, strlen(program));
	if (argument[0])
		argv[at++] = arena_text(s->arena, argument, strlen(argument));
	argv[at++] = name;
	for (size_t i = 1; i < count; i++)
		argv[at++] = s->q->argv[i];
	io->argv = argv;
}

/* `env NAME` stands for that program; what else env could be told is not worth the doubt. */
static int name_interpreter(
	struct search *s, const char *script, char **io_program, char **io_argument)
{
	char *base = strrchr(*io_program, '/') + 1;

	if (!str_eq(base, "env"))
		return 0;
	if (!(*io_argument)[0] || strpbrk(*io_argument, " \t=") || (*io_argument)[0] == '-')
		return refuse_script(s, script, "its first line does not plainly name a program");
	*io_program = *io_argument;
	*io_argument += strlen(*io_argument);
	return 0;
}

/* The script becomes an argument of its interpreter, as the kernel would have it. */
static int take_interpreter(struct search *s, struct subject *io, char *program, char *argument)
{
	char head[HEAD], *unused;
	int fd, r;

	io->script = io->program;
	r = name_interpreter(s, io->script.path, &program, &argument);
	if (r < 0)
		return r;
	if (!is_system(&io->script, io->fixed)) {
		io->copy = seal(io->fd, io->script.hash);
		if (io->copy < 0)
			return err_sys(s->e, io->copy, "keep a copy of the script");
	}
	fd = find(s, program, &io->program, &io->fixed);
	if (fd == -EPERM)
		return fd;
	if (fd < 0)
		return refuse_script(s, io->script.path, "its interpreter cannot be found");
	close(io->fd);
	io->fd = fd;
	if (read_head(fd, head, &unused, &unused) != 0)
		return refuse_script(s, io->script.path, "its interpreter is a script in turn");
	script_words(s, io, program, argument,
		io->copy < 0 ? io->script.path
			     : arena_printf(s->arena, "/dev/fd/%d", KEEPER_SCRIPT));
	return 0;
}

/* What an interpreter is told to read is a program too, by whatever name. */
static int check_operand(struct search *s)
{
	const char *base = strrchr(s->q->argv[0], '/');
	char real[PATH_MAX];
	struct stat st;

	if (!runner_is(base ? base + 1 : s->q->argv[0]))
		return 0;
	for (size_t i = 1; s->q->argv[i]; i++) {
		auto_fd int fd = -1;

		if (s->q->argv[i][0] == '-' || !s->q->argv[i][0])
			continue;
		fd = trail_open(s->q->cwd, s->q->argv[i], &s->rules, real, &st, s->e);
		if (fd == -EPERM)
			return fd;
		if (fd >= 0)
			return 0;
	}
	return 0;
}

static int explain(struct search *s, int r)
{
	auto_(buf_free) struct buf shown = BUF(200);

	if (r == -EPERM && s->e->code)
		return r;
	escape_text(&shown, s->q->argv[0]);
	return err_sys(s->e, r, "find the program '%s'", buf_text(&shown));
}

int subject_open(
	const struct subject_request *q, struct arena *a, struct subject *ret, struct err *e)
{
	struct search s = {.q = q, .arena = a, .e = e};
	char head[HEAD], *program, *argument;
	int r;

	*ret = (struct subject){.fd = -1, .copy = -1, .argv = q->argv};
	find_barred(q, a, &s.rules);
	ret->env = clean_env(&s);
	ret->fd = find(&s, q->argv[0], &ret->program, &ret->fixed);
	if (ret->fd < 0)
		return explain(&s, ret->fd);
	r = check_operand(&s);
	if (r < 0)
		return r;
	r = read_head(ret->fd, head, &program, &argument);
	if (r < 0)
		return refuse_script(&s, ret->program.path, "its first line names no program");
	return r == 0 ? 0 : take_interpreter(&s, ret, program, argument);
}

void subject_close(struct subject *s)
{
	cleanup_fd(&s->fd);
	cleanup_fd(&s->copy);
	s->fd = s->copy = -1;
}
