/* SPDX-License-Identifier: Apache-2.0 */
#include "door/approver.h"

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/str.h"
#include "base/vec.h"
#include "door/approval_parts.h"
#include "state/place.h"
#include "sys/folder.h"
#include "sys/packet.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>

#define PATIENCE_MS 5000
#define ID_SHORTEST 4
#define REPLY_MAX (sizeof(struct approval_reply) + 2 * APPROVAL_SHOWN)

int approver_folder(struct arena *a, struct err *e)
{
	auto_fd int place = place_open(a, e);
	int fd;

	if (place < 0)
		return take_fd(&place);
	if (mkdirat(place, APPROVAL_FOLDER, 0700) < 0 && errno != EEXIST)
		return err_sys(e, -errno, "make the folder of requests");
	fd = folder_open(place, APPROVAL_FOLDER, O_RDONLY | O_DIRECTORY, 0);
	return fd < 0 ? err_sys(e, fd, "open the folder of requests") : fd;
}

static bool is_id(const char *name)
{
	return strlen(name) == APPROVAL_ID - 1 &&
	       strspn(name, "0123456789abcdef") == APPROVAL_ID - 1;
}

/* A process that does not answer holds up nobody. */
static ssize_t hear(int fd, void *data, size_t size)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	ssize_t n;

	if (poll(&p, 1, PATIENCE_MS) <= 0)
		return -ETIMEDOUT;
	n = packet_receive(fd, false, data, size, NULL);
	return n > (ssize_t)size ? -EMSGSIZE : n;
}

static int connect_to(int folder, const char *id, struct approval_hello *ret)
{
	auto_fd int fd = packet_connect(folder, id);

	/* Nobody listens: what is left of a process that was killed. */
	if (fd == -ECONNREFUSED) {
		unlinkat(folder, id, 0);
		return -ENOENT;
	}
	if (fd < 0)
		return take_fd(&fd);
	if (hear(fd, ret, sizeof *ret) != (ssize_t)sizeof *ret || ret->version != APPROVAL_VERSION)
		return -EPROTO;
	return take_fd(&fd);
}

/* Lines that a request made are escaped already; whoever else made them, they are now. */
static bool is_safe(const char *text)
{
	auto_(buf_free) struct buf plain = BUF(APPROVAL_SHOWN), again = BUF(6 * APPROVAL_SHOWN);

	for (const char *c = text; *c; c++)
		buf_putc(&plain, *c == '\n' || *c == '\\' ? '/' : *c);
	escape_bytes(&again, buf_text(&plain), plain.len);
	return str_eq(buf_text(&plain), buf_text(&again));
}

static int take_forms(struct arena *a, const char *data, size_t len, struct approver_row *ret)
{
	auto_(buf_free) struct buf escaped = BUF(6 * APPROVAL_SHOWN);
	struct approval_reply head;

	if (len < sizeof head)
		return -EPROTO;
	memcpy(&head, data, sizeof head);
	if (head.version != APPROVAL_VERSION || head.code || head.json_len > APPROVAL_SHOWN ||
		head.text_len > APPROVAL_SHOWN ||
		len != sizeof head + head.json_len + head.text_len)
		return -EPROTO;
	data += sizeof head;
	ret->json = arena_text(a, data, head.json_len);
	ret->text = arena_text(a, data + head.json_len, head.text_len);
	if (is_safe(ret->text))
		return 0;
	escape_text(&escaped, ret->text);
	ret->text = arena_text(a, buf_text(&escaped), escaped.len);
	return 0;
}

static int look(int fd, const struct approval_hello *hello, const char *id, struct arena *a,
	struct approver_row *ret)
{
	struct approval_ask m = {.version = APPROVAL_VERSION, .kind = APPROVAL_LOOK};
	auto_free char *data = mem_alloc(REPLY_MAX);
	ssize_t n;
	int r;

	memcpy(m.nonce, hello->nonce, sizeof m.nonce);
	memcpy(m.id, id, sizeof m.id);
	memcpy(ret->id, id, sizeof ret->id);
	r = packet_send(fd, true, &m, sizeof m, NULL);
	if (r < 0)
		return r;
	n = hear(fd, data, REPLY_MAX);
	return n < 0 ? (int)n : take_forms(a, data, (size_t)n, ret);
}

int approver_list(struct arena *a, struct approver_row **ret, size_t *ret_count, struct err *e)
{
	auto_fd int folder = approver_folder(a, e);
	auto_(folder_close) DIR *d = folder < 0 ? NULL : folder_list(folder, "");
	size_t count = 0, capacity = 8;
	struct approver_row *rows = arena_array(a, capacity, sizeof *rows), row;
	const struct dirent *entry;

	if (folder < 0)
		return take_fd(&folder);
	while (d && (entry = readdir(d))) {
		struct approval_hello hello;
		auto_fd int fd = -1;

		if (!is_id(entry->d_name))
			continue;
		fd = connect_to(folder, entry->d_name, &hello);
		if (fd >= 0 && look(fd, &hello, entry->d_name, a, &row) == 0)
			vec_push(a, &rows, &count, &capacity, row);
	}
	*ret = rows;
	*ret_count = count;
	return 0;
}

static int nobody(const char *id, struct err *e)
{
	auto_(buf_free) struct buf shown = BUF(80);

	escape_text(&shown, id);
	return err_set(e, ENOENT,
		"no request '%s' waits: it was answered, has expired, or never was; 'ward "
		"approvals' shows those that do",
		buf_text(&shown));
}

static int find(int folder, const char *start, char ret[APPROVAL_ID], struct err *e)
{
	auto_(folder_close) DIR *d = folder_list(folder, "");
	const struct dirent *entry;
	int found = 0;

	if (strlen(start) < ID_SHORTEST)
		return err_set(e, EINVAL, "write at least %d characters of the id", ID_SHORTEST);
	while (d && (entry = readdir(d)))
		if (is_id(entry->d_name) && str_starts(entry->d_name, start)) {
			memcpy(ret, entry->d_name, APPROVAL_ID);
			found++;
		}
	if (found > 1)
		return err_set(
			e, EINVAL, "more than one request begins with that; write more of it");
	return found ? 0 : nobody(start, e);
}

static int send_answer(int fd, const struct approval_hello *hello, const char *id,
	const struct approver_answer *answer, struct err *e)
{
	struct approval_ask m = {.version = APPROVAL_VERSION,
		.kind = APPROVAL_DECIDE,
		.yes = answer->yes,
		.uses = answer->uses,
		.for_ms = answer->for_ms};
	struct approval_reply reply;
	int r;

	memcpy(m.nonce, hello->nonce, sizeof m.nonce);
	memcpy(m.id, id, sizeof m.id);
	if (answer->advice && strlen(answer->advice) >= sizeof m.advice)
		return err_set(e, EINVAL, "the reason is too long: %zu bytes at most",
			sizeof m.advice - 1);
	memcpy(m.advice, answer->advice ? answer->advice : "",
		answer->advice ? strlen(answer->advice) : 0);
	r = packet_send(fd, true, &m, sizeof m, NULL);
	if (r < 0 || hear(fd, &reply, sizeof reply) != (ssize_t)sizeof reply)
		return nobody(id, e);
	reply.text[sizeof reply.text - 1] = '\0';
	return reply.code ? err_set(e, reply.code, "not taken: %s", reply.text) : 0;
}

int approver_answer(struct arena *a, const char *id, const struct approver_answer *answer,
	struct approver_row *ret, struct err *e)
{
	auto_fd int folder = approver_folder(a, e), fd = -1;
	struct approval_hello hello;
	char whole[APPROVAL_ID];
	int r = folder < 0 ? folder : find(folder, id, whole, e);

	if (r < 0)
		return r;
	fd = connect_to(folder, whole, &hello);
	if (fd < 0)
		return nobody(id, e);
	r = look(fd, &hello, whole, a, ret);
	if (r < 0)
		return nobody(id, e);
	return send_answer(fd, &hello, whole, answer, e);
}
