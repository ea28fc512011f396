/* SPDX-License-Identifier: Apache-2.0 */
#include "door/background.h"

#include "base/macro.h"
#include "base/number.h"
#include "base/str.h"
#include "door/talk.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#define PAUSE_MS 10 /* for one that does not read at the moment */

static struct post message; /* large */

static int talk(int box, uint32_t kind, int32_t id, struct err *e)
{
	int r = talk_say(box, &message, kind, id, e);

	return r < 0 ? r : talk_hear(box, &message, e);
}

static int fail_answer(struct err *e)
{
	return err_set(e, EPROTO, "the sandbox answers something else");
}

int background_list(int box, background_fn *fn, void *ctx, struct err *e)
{
	int r = talk(box, POST_PROCESSES, 0, e);

	while (r == 0 && message.kind == POST_PROCESS) {
		message.process.command[POST_COMMAND - 1] = '\0';
		fn(ctx, message.number, &message.process);
		r = talk_hear(box, &message, e);
	}
	return r;
}

int background_output(int box, int32_t id, uint64_t from, bool follow, const struct post_data **ret,
	struct err *e)
{
	int r;

	message.data.position = from;
	message.data.flag = follow;
	message.data.size = 0;
	r = talk(box, POST_PROCESS_OUTPUT, id, e);
	if (r < 0)
		return r;
	if (message.kind != POST_OUTPUT || message.data.size > POST_DATA)
		return fail_answer(e);
	*ret = &message.data;
	return 0;
}

static int write_some(int box, int32_t id, const char *data, size_t len, bool end, struct err *e)
{
	int r;

	memcpy(message.data.bytes, data, len);
	message.data.position = 0;
	message.data.size = (uint32_t)len;
	message.data.flag = end;
	r = talk(box, POST_PROCESS_WRITE, id, e);
	if (r < 0)
		return r;
	if (message.number < 0)
		return err_sys(e, message.number, "write to process %d", id);
	return message.number;
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

int background_write(int box, int32_t id, const char *data, size_t len, bool end,
	unsigned patience_ms, struct err *e)
{
	const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000};
	uint64_t due = patience_ms ? now_ms() + patience_ms : UINT64_MAX;
	size_t done = 0;

	while (done < len) {
		size_t now = len - done < POST_DATA ? len - done : POST_DATA;
		int n = write_some(box, id, data + done, now, false, e);

		if (n < 0)
			return n;
		done += (size_t)n;
		/* Whoever reads a little now and then holds nobody up either. */
		if (done < len && now_ms() > due)
			return err_set(e, ETIMEDOUT,
				"process %d does not read: %zu of %zu bytes are written", id, done,
				len);
		if (n == 0)
			nanosleep(&pause, NULL);
	}
	return end ? write_some(box, id, "", 0, true, e) : 0;
}

static const struct {
	const char *name;
	int number;
} signals[] = {{"HUP", SIGHUP}, {"INT", SIGINT}, {"QUIT", SIGQUIT}, {"KILL", SIGKILL},
	{"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"TERM", SIGTERM}, {"CONT", SIGCONT},
	{"STOP", SIGSTOP}, {"TSTP", SIGTSTP}, {"WINCH", SIGWINCH}, {"ALRM", SIGALRM}};

int background_signal_number(const char *text, struct err *e)
{
	const char *name = str_starts(text, "SIG") ? text + 3 : text;
	uint64_t n;

	for (size_t i = 0; i < ARRAY_LEN(signals); i++)
		if (str_eq(signals[i].name, name))
			return signals[i].number;
	if (number_count(text, &n, e) == 0 && n > 0 && n < NSIG)
		return (int)n;
	return err_set(e, EINVAL, "that is no signal: write TERM, KILL, INT, HUP, ... or a number");
}

int background_signal(int box, int32_t id, int number, struct err *e)
{
	int r;

	message.data.position = (uint64_t)number;
	message.data.size = message.data.flag = 0;
	r = talk(box, POST_PROCESS_SIGNAL, id, e);
	if (r == 0 && message.number < 0)
		r = err_sys(e, message.number, "signal process %d", id);
	return r;
}

/* The connection falls silent until the process has ended. */
int background_wait(int box, int32_t id, int timeout_ms, struct result *ret, struct err *e)
{
	struct pollfd p = {.fd = box, .events = POLLIN};
	int r = talk_say(box, &message, POST_PROCESS_WAIT, id, e);

	if (r < 0)
		return r;
	if (poll(&p, 1, timeout_ms) == 0)
		return 1;
	r = talk_hear(box, &message, e);
	if (r < 0)
		return r;
	if (message.kind != POST_ENDED)
		return fail_answer(e);
	ret->exit_code = message.end.exit_code;
	ret->signal = message.end.signal;
	ret->start_error = message.end.start_error;
	ret->reason = message.end.reason >= 0 && message.end.reason < END_COUNT
			      ? (enum end_reason)message.end.reason
			      : END_INTERNAL;
	return 0;
}
