/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Connections to ward's own sockets, by those who may and those who may not.
 *
 *   peers COUNT knock  SOCKET        connects so often, as whoever runs this
 *   peers UID   handed SOCKET [ID]   connects, and hands the connection to a process of that user
 *   peers UID   left   SOCKET [ID]   the same, and whoever has connected is gone when it speaks
 *   peers UID   changed SOCKET [ID]  connects, and becomes that user; -1: stays who it is
 *
 * With ID the socket is that of a request that waits for an answer, and it says yes; else that of a
 * sandbox, and it asks for its background processes. Prints what came of it: "refused" when the
 * connection was ended without a word, "answered", or why not.
 */

#include "door/approval_parts.h"
#include "engine/post.h"
#include "sys/packet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int reach(const char *path)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	const char *name = strrchr(path, '/');
	char folder[4096];

	/* The whole of it may be too long for an address. */
	snprintf(folder, sizeof folder, "%.*s", name ? (int)(name - path) : 0, path);
	if (name && chdir(folder) < 0)
		name = NULL;
	snprintf(to.sun_path, sizeof to.sun_path, "%s", name ? name + 1 : path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) < 0) {
		perror(path);
		exit(1);
	}
	return fd;
}

static void say(const char *text)
{
	printf("%s\n", text);
	fflush(stdout);
}

static void ask_sandbox(int fd)
{
	static struct post answer;

	if (post_send(fd, true, post_new(POST_PROCESSES, 0), NULL) < 0 ||
		post_receive(fd, true, &answer, NULL) < 0)
		say("refused");
	else
		say(answer.kind == POST_FAILED ? answer.error.text : "answered");
}

static void say_yes(int fd, const char *id)
{
	struct approval_hello hello;
	struct approval_ask ask = {.version = APPROVAL_VERSION, .kind = APPROVAL_DECIDE, .yes = 1};
	struct approval_reply reply;

	if (recv(fd, &hello, sizeof hello, 0) != sizeof hello) {
		say("refused");
		return;
	}
	memcpy(ask.nonce, hello.nonce, sizeof ask.nonce);
	memcpy(ask.id, id, strnlen(id, sizeof ask.id - 1));
	if (send(fd, &ask, sizeof ask, MSG_NOSIGNAL) != sizeof ask ||
		recv(fd, &reply, sizeof reply, 0) < (ssize_t)sizeof reply)
		say("refused");
	else
		say(reply.code ? reply.text : "answered");
}

static void speak(int fd, const char *id)
{
	if (id)
		say_yes(fd, id);
	else
		ask_sandbox(fd);
}

static void become(uid_t uid)
{
	if (uid != (uid_t)-1 && uid != geteuid() && setresuid(uid, uid, uid) < 0) {
		perror("setresuid");
		exit(1);
	}
}

/* The receiver speaks when the sender has ended, if it is to. */
static void hand(const char *path, uid_t uid, bool leave, const char *id)
{
	int pair[2], ended[2];
	struct packet_fds fds = {.count = 1};
	pid_t pid;
	char c;

	if (packet_pair(pair) < 0 || pipe(ended) < 0)
		exit(1);
	pid = fork();
	if (pid == 0) {
		close(ended[0]);
		close(pair[1]);
		fds.fd[0] = reach(path);
		packet_send(pair[0], true, "", 1, &fds);
		if (!leave) /* until the other has ended */
			(void)!recv(pair[0], &c, 1, 0);
		_exit(0);
	}
	close(ended[1]);
	close(pair[0]);
	if (packet_receive(pair[1], true, &c, 1, &fds) < 0 || fds.count != 1)
		exit(1);
	if (leave && (waitpid(pid, NULL, 0) != pid || read(ended[0], &c, 1) != 0))
		exit(1);
	become(uid);
	speak(fds.fd[0], id);
}

static void knock(const char *path, int count)
{
	for (int i = 0; i < count; i++) {
		int fd = reach(path);
		char c;

		if (i + 1 == count)
			say(recv(fd, &c, 1, 0) <= 0 ? "refused" : "answered");
		close(fd);
	}
}

int main(int argc, char **argv)
{
	const char *id = argc > 4 ? argv[4] : NULL, *what = argc > 2 ? argv[2] : "";
	int number = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 0;

	if (argc < 4)
		return 2;
	if (strcmp(what, "knock") == 0) {
		knock(argv[3], number);
	} else if (strcmp(what, "changed") == 0) {
		int fd = reach(argv[3]);

		become((uid_t)number);
		speak(fd, id);
	} else {
		hand(argv[3], (uid_t)number, strcmp(what, "left") == 0, id);
	}
	return 0;
}
