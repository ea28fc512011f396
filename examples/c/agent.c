/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What an agent does, with libward: runs commands, reads how they ended, changes files, keeps a
 * process in the background. Build it with
 *
 *     cc agent.c -o agent $(pkg-config --cflags --libs ward)
 *
 * and run it in the folder that it should work in.
 */

#include <ward.h>

#include <stdio.h>
#include <stdlib.h>

static void fail(const char *what, int error, const char *why)
{
	fprintf(stderr, "%s: %s: %s\n", what, ward_strerror(error), why);
	exit(1);
}

/* Output as it comes. */
static void show(void *ctx, uint64_t id, enum ward_stream stream, const char *data, size_t len)
{
	(void)ctx;
	(void)id;
	fwrite(data, 1, len, stream == WARD_STDOUT ? stdout : stderr);
}

/* A command that the policy wants a person to see. This program has nobody to ask. */
static enum ward_consent ask(void *ctx, const struct ward_approval *approval)
{
	(void)ctx;
	fprintf(stderr, "not approved:\n%s\n", approval->text);
	return WARD_NO;
}

static void run_commands(struct ward *w)
{
	struct ward_command build = {.command = "echo building; echo done", .on_output = show};
	struct ward_command slow = {.command = "sleep 100", .timeout_ms = 500};
	struct ward_result r;
	int error = ward_exec(w, &build, &r);

	if (error)
		fail("exec", error, ward_message(w));
	printf("exit status %d\n", r.exit_code);
	ward_result_free(&r);

	error = ward_exec(w, &slow, &r);
	if (error)
		fail("exec", error, ward_message(w));
	if (r.end == WARD_END_TIMEOUT)
		printf("too slow\n");
	ward_result_free(&r);
}

static void change_files(struct ward *w)
{
	const char text[] = "port = 80\nhost = here\n";
	char *content = NULL;
	size_t len;
	int error = ward_write(w, "settings", text, sizeof text - 1);

	if (!error)
		error = ward_edit(w, "settings", "port = 80", "port = 8080", 0);
	if (!error)
		error = ward_read(w, "settings", &content, &len);
	if (error)
		fail("settings", error, ward_message(w));
	printf("%s", content);
	free(content);

	/* Refused: it is not in the workspace. */
	error = ward_read(w, "../../etc/shadow", &content, &len);
	printf("outside: %s\n", ward_strerror(error));
}

static void look_after_a_process(struct ward *w)
{
	struct ward_command server = {.command = "echo listening; cat", .background = 1};
	struct ward_result r;
	struct ward_answer answer;
	char arguments[80];
	int error = ward_exec(w, &server, &r);

	if (error)
		fail("background", error, ward_message(w));
	snprintf(arguments, sizeof arguments, "{\"action\": \"write\", \"id\": %ld, \"end\": true}",
		r.process);
	error = ward_call(w, "process", arguments, &answer);
	ward_answer_free(&answer);
	snprintf(arguments, sizeof arguments, "{\"action\": \"wait\", \"id\": %ld}", r.process);
	if (!error)
		error = ward_call(w, "process", arguments, &answer);
	ward_answer_free(&answer);
	snprintf(arguments, sizeof arguments, "{\"action\": \"output\", \"id\": %ld}", r.process);
	if (!error)
		error = ward_call(w, "process", arguments, &answer);
	if (error)
		fail("process", error, ward_message(w));
	printf("background: %s", answer.text);
	ward_answer_free(&answer);
	ward_result_free(&r);
}

int main(void)
{
	char why[300] = "";
	struct ward_options options = {.on_approval = ask, .error = why, .error_size = sizeof why};
	struct ward *w;
	int error = ward_open(&options, &w);

	if (error)
		fail("ward_open", error, why);
	run_commands(w);
	change_files(w);
	look_after_a_process(w);
	ward_close(w);
	return 0;
}
