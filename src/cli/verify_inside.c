/* SPDX-License-Identifier: Apache-2.0 */

/* The payloads: small attempts, each a function. Those that use something up: cli/verify_hogs.c. */

#include "base/cleanup.h"
#include "base/str.h"
#include "cli/verify.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HAPPENED = 0, REFUSED = 1 };

static int answer(bool happened)
{
	return happened ? HAPPENED : REFUSED;
}

static void print(const void *data, size_t len)
{
	if (write(STDOUT_FILENO, data, len) < 0)
		_exit(2);
}

/* All of it, as lines: what follows a NUL is to be seen as well. */
static int print_fd(int fd)
{
	char text[4096];
	bool some = false;
	ssize_t n;

	while (fd >= 0 && (n = read(fd, text, sizeof text)) > 0) {
		for (ssize_t i = 0; i < n; i++)
			if (!text[i])
				text[i] = '\n';
		print(text, (size_t)n);
		some = true;
	}
	return answer(some);
}

static int hello(char **a)
{
	(void)a;
	return HAPPENED;
}

static int read_file(char **a)
{
	auto_fd int fd = open(a[0], O_RDONLY | O_CLOEXEC);

	return print_fd(fd);
}

/* Which file it is, for somebody to compare. */
static int identify(char **a)
{
	auto_fd int fd = open(a[0], O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char text[64];
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return REFUSED;
	print(text, (size_t)snprintf(text, sizeof text, "%llu:%llu\n",
			    (unsigned long long)st.st_dev, (unsigned long long)st.st_ino));
	return HAPPENED;
}

static int append(char **a)
{
	auto_fd int fd = open(a[0], O_WRONLY | O_APPEND | O_CLOEXEC);

	return answer(fd >= 0 && write(fd, "x", 1) == 1);
}

/* Nothing is written: what it would change belongs to the whole machine. */
static int open_for_writing(char **a)
{
	auto_fd int fd = open(a[0], O_WRONLY | O_CLOEXEC);

	return answer(fd >= 0);
}

static int create(char **a)
{
	auto_fd int fd = open(a[0], O_CREAT | O_WRONLY | O_CLOEXEC, 0644);

	return answer(fd >= 0);
}

static int exists(char **a)
{
	struct stat st;

	return answer(lstat(a[0], &st) == 0);
}

static int rename_to(char **a)
{
	auto_fd int fd = open(a[0], O_CREAT | O_WRONLY | O_CLOEXEC, 0644);

	return answer(fd >= 0 && rename(a[0], a[1]) == 0);
}

static int link_to(char **a)
{
	auto_fd int fd = open(a[0], O_CREAT | O_WRONLY | O_CLOEXEC, 0644);

	return answer(fd >= 0 && link(a[0], a[1]) == 0);
}

static int set_mode(char **a)
{
	auto_fd int fd = open(a[0], O_CREAT | O_WRONLY | O_CLOEXEC, 0755);

	return answer(fd >= 0 && chmod(a[0], str_eq(a[1], "gid") ? 02755 : 04755) == 0);
}

static int make_device(char **a)
{
	return answer(mknod(a[0], S_IFCHR | 0600, makedev(1, 1)) == 0);
}

/* Byte by byte, as somebody sees it who reads meanwhile. */
static void put(volatile char *to, const char *text)
{
	do
		*to++ = *text;
	while (*text++);
}

/* Two names in turn, changed while whoever judges the call may be reading. */
static int race(char **a)
{
	enum { TRIES = 3000, TURNS = 1 << 26, ROOM = 256 };
	char *path = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child;

	if (path == MAP_FAILED || strlen(a[0]) >= ROOM || strlen(a[1]) >= ROOM)
		return 2;
	put(path, a[0]);
	child = fork();
	if (child < 0)
		return 2;
	if (child == 0) {
		for (int i = 0; i < TURNS; i++)
			put(path, a[i & 1]);
		_exit(0);
	}
	for (int i = 0; i < TRIES; i++)
		create((char *[]){path, NULL});
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return exists(a + 1);
}

/* Where a program may leave things; {token} as the file's name. */
static const char *const places[] = {"/tmp", "/var/tmp", "/run", "/home/sandbox", "/dev/shm", "/"};

static int leave(char **a)
{
	char path[128];
	bool any = false;

	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		snprintf(path, sizeof path, "%s/%s", places[i], a[0]);
		any |= create((char *[]){path, NULL}) == HAPPENED;
	}
	return answer(any);
}

static int find_left(char **a)
{
	char path[128];
	bool any = false;

	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		snprintf(path, sizeof path, "%s/%s", places[i], a[0]);
		any |= exists((char *[]){path, NULL}) == HAPPENED;
	}
	return answer(any);
}

/* Connected within half a second, or not at all. */
static int try_connect(int type, const void *address, socklen_t len)
{
	const struct sockaddr *to = address;
	auto_fd int fd = socket(to->sa_family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	socklen_t size = sizeof(int);
	int problem = 0;

	if (fd < 0)
		return REFUSED;
	if (type == SOCK_DGRAM)
		return answer(sendto(fd, "x", 1, 0, to, len) == 1);
	if (connect(fd, to, len) == 0)
		return HAPPENED;
	if (errno != EINPROGRESS)
		return REFUSED;
	/* On its way out of here: that is as good as there. */
	if (poll(&p, 1, 500) <= 0)
		return HAPPENED;
	getsockopt(fd, SOL_SOCKET, SO_ERROR, &problem, &size);
	return answer(problem == 0);
}

static uint16_t port(const char *text)
{
	uint64_t n = 0;

	number_count(text, &n, NULL);
	return htons((uint16_t)n);
}

static int reach(int type, char **a)
{
	struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = port(a[1])};
	struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = port(a[1])};

	if (inet_pton(AF_INET, a[0], &four.sin_addr) == 1)
		return try_connect(type, &four, sizeof four);
	if (inet_pton(AF_INET6, a[0], &six.sin6_addr) == 1)
		return try_connect(type, &six, sizeof six);
	return 2;
}

static int reach_tcp(char **a)
{
	return reach(SOCK_STREAM, a);
}

static int reach_udp(char **a)
{
	return reach(SOCK_DGRAM, a);
}

static int reach_abstract(char **a)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int n = snprintf(to.sun_path + 1, sizeof to.sun_path - 1, "ward-%s", a[0]);

	return try_connect(SOCK_STREAM, &to,
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n));
}

static int reach_file(char **a)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};

	if (snprintf(to.sun_path, sizeof to.sun_path, "%s", a[0]) >= (int)sizeof to.sun_path)
		return 2;
	return try_connect(SOCK_STREAM, &to, sizeof to);
}

static int list_processes(char **a)
{
	DIR *proc = opendir("/proc");
	struct dirent *d;

	(void)a;
	while (proc && (d = readdir(proc))) {
		char path[300];

		if (d->d_name[0] < '0' || d->d_name[0] > '9')
			continue;
		snprintf(path, sizeof path, "/proc/%s/comm", d->d_name);
		read_file((char *[]){path, NULL});
	}
	if (proc)
		closedir(proc);
	return HAPPENED;
}

static pid_t pid_of(const char *text)
{
	uint64_t n = 0;

	number_count(text, &n, NULL);
	return (pid_t)n;
}

static int send_signal(char **a)
{
	return answer(kill(pid_of(a[0]), str_eq(a[1], "urgent") ? SIGURG : SIGTERM) == 0);
}

/* The program of a sandbox has this number; nobody else on a machine that it could hurt. */
static bool is_alone(void)
{
	return getpid() == 2;
}

static int signal_all(char **a)
{
	(void)a;
	if (!is_alone())
		return 2;
	return answer(kill(-1, SIGTERM) == 0);
}

/* Were init ended, this process would be too: whoever waits would see no exit. */
static int kill_init(char **a)
{
	(void)a;
	if (!is_alone())
		return 2;
	kill(1, SIGKILL);
	kill(1, SIGTERM);
	return REFUSED;
}

/* May this process even ask? The same user, but another Landlock domain. */
static int touch_init(char **a)
{
	(void)a;
	return answer(kill(1, 0) == 0);
}

static int list_environment(char **a)
{
	(void)a;
	for (size_t i = 0; environ[i]; i++)
		print(environ[i], strlen(environ[i]));
	read_file((char *[]){(char[]){"/proc/1/environ"}, NULL});
	return HAPPENED;
}

static int list_descriptors(char **a)
{
	char text[64];

	(void)a;
	for (int fd = 3; fd < 1024; fd++)
		if (fcntl(fd, F_GETFD) >= 0) {
			ssize_t n = pread(fd, text, sizeof text, 0);

			print("open\n", 5);
			if (n > 0)
				print(text, (size_t)n);
		}
	return HAPPENED;
}

static int become_root(char **a)
{
	(void)a;
	return answer(setresuid(0, 0, 0) == 0 || setresgid(0, 0, 0) == 0);
}

/* Waits to be looked at, under that name. */
static int wait_for_end(char **a)
{
	char byte;

	prctl(PR_SET_NAME, a[0], 0, 0, 0);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return HAPPENED;
}

static const struct {
	const char *name;
	size_t args;
	int (*run)(char **a);
} payloads[] = {
	{"hello", 0, hello},
	{"read", 1, read_file},
	{"identify", 1, identify},
	{"append", 1, append},
	{"open-for-writing", 1, open_for_writing},
	{"create", 1, create},
	{"exists", 1, exists},
	{"rename", 2, rename_to},
	{"link", 2, link_to},
	{"mode", 2, set_mode},
	{"device", 1, make_device},
	{"race", 2, race},
	{"leave", 1, leave},
	{"find-left", 1, find_left},
	{"tcp", 2, reach_tcp},
	{"udp", 2, reach_udp},
	{"abstract", 1, reach_abstract},
	{"unix", 1, reach_file},
	{"processes", 0, list_processes},
	{"signal", 2, send_signal},
	{"signal-all", 0, signal_all},
	{"kill-init", 0, kill_init},
	{"touch-init", 0, touch_init},
	{"environment", 0, list_environment},
	{"descriptors", 0, list_descriptors},
	{"become-root", 0, become_root},
	{"wait", 1, wait_for_end},
};

int verify_inside(char **args, size_t count)
{
	int r = count == 2 && str_eq(args[0], "calls") ? verify_inside_calls(args[1]) : -1;

	for (size_t i = 0; r < 0 && i < ARRAY_LEN(payloads); i++)
		if (str_eq(payloads[i].name, args[0]) && payloads[i].args == count - 1)
			r = payloads[i].run(args + 1);
	if (r < 0)
		r = verify_inside_hog(args, count);
	return r < 0 ? 2 : r;
}
