/* SPDX-License-Identifier: Apache-2.0 */

/*
 * mcp ROUNDS WARD [OPTION...]
 *
 * A client of `ward mcp`, over pipes, in the current folder: starts /bin/true on the host, has it
 * run by the tool exec, and reads a file of 4 KiB by the tool read, by turns. Prints the medians in
 * microseconds: HOST EXEC READ.
 */

#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_ROUNDS 100000
#define FILE_NAME "mcp-4k"

static int to_server, from_server;

/* One request and its answer, which must have these words. */
static double ask(const char *message, const char *words)
{
	static char answer[1 << 16];
	size_t len = 0, size = strlen(message);
	double start = now();

	if (write(to_server, message, size) != (ssize_t)size)
		return -1;
	while (len == 0 || answer[len - 1] != '\n') {
		ssize_t n = read(from_server, answer + len, sizeof answer - 1 - len);

		if (n <= 0)
			return -1;
		len += (size_t)n;
	}
	answer[len] = '\0';
	if (!strstr(answer, words)) {
		fprintf(stderr, "mcp: %.500s\n", answer);
		return -1;
	}
	return now() - start;
}

static int start_server(char **argv)
{
	posix_spawn_file_actions_t actions;
	int in[2], out[2];
	pid_t pid;

	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		return -1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], 0);
	posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	if (posix_spawn(&pid, argv[0], &actions, NULL, argv, environ) != 0)
		return -1;
	close(in[0]);
	close(out[1]);
	to_server = in[1];
	from_server = out[0];
	return 0;
}

static int make_file(void)
{
	int fd = open(FILE_NAME, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	bool good = fd >= 0;

	for (int i = 0; i < 64 && good; i++)
		good = write(fd,
			       "The quick brown fox jumps over the lazy dog, and does it again.\n",
			       64) == 64;
	if (fd >= 0)
		close(fd);
	return good ? 0 : -1;
}

#define CALL(name, arguments)                                                                  \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"" name \
	"\",\"arguments\":" arguments "}}\n"

int main(int argc, char **argv)
{
	static const char hello[] =
		"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
		"\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{"
		"\"name\":\"bench\",\"version\":\"1\"}}}\n";
	static const char exec[] = CALL("exec", "{\"argv\":[\"/bin/true\"]}");
	static const char file[] = CALL("read", "{\"path\":\"" FILE_NAME "\"}");
	static double host[MAX_ROUNDS], ran[MAX_ROUNDS], was_read[MAX_ROUNDS];
	static char word[] = "mcp";
	long rounds = argc > 2 ? strtol(argv[1], NULL, 10) : 0;

	if (rounds < 1 || rounds > MAX_ROUNDS || make_file() < 0)
		return 2;
	/* WARD mcp OPTION... */
	argv[1] = argv[2];
	argv[2] = word;
	if (start_server(argv + 1) < 0 || ask(hello, "\"ward\"") < 0 ||
		ask(exec, "\"exitCode\":0") < 0)
		return 1;
	for (long i = 0; i < rounds; i++) {
		host[i] = on_host();
		ran[i] = ask(exec, "\"exitCode\":0");
		was_read[i] = ask(file, "lazy dog");
		if (host[i] < 0 || ran[i] < 0 || was_read[i] < 0)
			return 1;
	}
	printf("%.1f %.1f %.1f\n", median(host, rounds), median(ran, rounds),
		median(was_read, rounds));
	return 0;
}
