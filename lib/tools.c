/* SPDX-License-Identifier: Apache-2.0 */

/* Calls that are waited for: any tool, and the ones that most programs want, each as a function. */

#include "lib/parts.h"

#include <stdlib.h>
#include <string.h>

void ward_answer_free(struct ward_answer *a)
{
	if (!a)
		return;
	free(a->text);
	free(a->json);
	*a = (struct ward_answer){0};
}

void ward_result_free(struct ward_result *r)
{
	if (!r)
		return;
	free(r->out);
	free(r->err);
	free(r->json);
	*r = (struct ward_result){0};
}

/* Sends and waits. The answer is filled also where the tool has failed. */
static int call(struct ward *w, const char *tool, struct span arguments,
	const struct ward_callbacks *callbacks, struct ward_answer *ret)
{
	int error = 1, r;
	struct call like = {.kind = CALL_TOOL, .keep = ret, .ret_error = &error};

	*ret = (struct ward_answer){0};
	if (w->inside)
		return handle_fail(w, WARD_BUSY, "this is not for callbacks");
	if (callbacks)
		like.callbacks = *callbacks;
	w->message[0] = '\0';
	r = calls_tool(w, tool, arguments, &like, NULL);
	return r < 0 ? r : calls_wait(w, &error, 0);
}

int ward_call(struct ward *w, const char *tool, const char *arguments, struct ward_answer *ret)
{
	struct span object;

	*ret = (struct ward_answer){0};
	arguments = arguments ? arguments : "{}";
	if (!tool || !scan_whole(arguments, strlen(arguments), &object) || !scan_is_object(object))
		return handle_fail(w, WARD_INVALID, "the arguments are not one JSON object");
	return call(w, tool, object, NULL, ret);
}

/* The same with arguments that were put together here: the object without its last brace. */
static int call_put(struct ward *w, const char *tool, struct put *arguments,
	const struct ward_callbacks *callbacks, struct ward_answer *ret)
{
	int r;

	put_raw(arguments, "}");
	if (arguments->failed) {
		*ret = (struct ward_answer){0};
		r = handle_fail(w, arguments->failed, "%s",
			arguments->failed == WARD_INVALID
				? "a text is not UTF-8, or has a NUL in it"
				: ward_strerror(arguments->failed));
	} else {
		r = call(w, tool, (struct span){arguments->data, arguments->len}, callbacks, ret);
	}
	put_free(arguments);
	return r;
}

static void put_list(struct put *p, const char *key, const char *const *texts)
{
	if (!texts)
		return;
	put_key(p, key);
	put_raw(p, "[");
	for (size_t i = 0; texts[i]; i++) {
		put_raw(p, i ? "," : "");
		put_string(p, texts[i], strlen(texts[i]));
	}
	put_raw(p, "]");
}

/* NAME=value as members of an object. */
static void put_env(struct put *p, const char *const *env)
{
	if (!env)
		return;
	put_key(p, "env");
	put_raw(p, "{");
	for (size_t i = 0; env[i]; i++) {
		const char *value = strchr(env[i], '=');

		if (!value || value == env[i]) {
			p->failed = p->failed ? p->failed : WARD_INVALID;
			return;
		}
		put_raw(p, i ? "," : "");
		put_string(p, env[i], (size_t)(value - env[i]));
		put_raw(p, ":");
		put_string(p, value + 1, strlen(value + 1));
	}
	put_raw(p, "}");
}

static void put_command(struct put *p, const struct ward_command *c)
{
	put_raw(p, "{");
	put_list(p, "argv", c->argv);
	put_text(p, "command", c->command);
	put_text(p, "cwd", c->cwd);
	put_env(p, c->env);
	if (c->input) {
		put_key(p, "stdin");
		put_string(p, c->input, c->input_len);
	}
	if (c->timeout_ms) {
		put_key(p, "timeoutMs");
		put_number(p, c->timeout_ms);
	}
	if (c->background) {
		put_key(p, "background");
		put_raw(p, "true");
	}
}

/* In the order of enum ward_end. */
static enum ward_end end_of(struct span reason)
{
	static const char *const names[] = {
		"exited", "signalled", "timeout", "idle", "oom", "policy", "stopped", "internal"};

	for (size_t i = 0; i < COUNT(names); i++)
		if (scan_is_text(reason, names[i]))
			return (enum ward_end)i;
	return WARD_END_INTERNAL;
}

static char *take_stream(struct span text, struct span base64, size_t *ret_len)
{
	struct span from = base64.at ? base64 : text;
	char *to = malloc(from.len + 1);

	*ret_len = 0;
	if (!to)
		return NULL;
	to[0] = '\0';
	if (from.at && !(base64.at ? scan_base64 : scan_text)(from, to, ret_len)) {
		*ret_len = 0;
		to[0] = '\0';
	}
	return to;
}

enum {
	AT_EXIT,
	AT_SIGNAL,
	AT_REASON,
	AT_OUT,
	AT_OUT64,
	AT_OUT_CUT,
	AT_ERR,
	AT_ERR64,
	AT_ERR_CUT,
	AT_PROCESS,
	AT_COUNT
};

/* Takes the JSON of the answer over. */
static int take_result(struct ward *w, struct ward_answer *a, struct ward_result *ret)
{
	struct scan_wish m[AT_COUNT] = {[AT_EXIT] = {.key = "exitCode"},
		[AT_SIGNAL] = {.key = "signal"},
		[AT_REASON] = {.key = "reason"},
		[AT_OUT] = {.key = "stdout"},
		[AT_OUT64] = {.key = "stdoutBase64"},
		[AT_OUT_CUT] = {.key = "stdoutTruncated"},
		[AT_ERR] = {.key = "stderr"},
		[AT_ERR64] = {.key = "stderrBase64"},
		[AT_ERR_CUT] = {.key = "stderrTruncated"},
		[AT_PROCESS] = {.key = "id"}};
	int64_t exit_code = -1, number = 0, process = 0;

	scan_members((struct span){a->json, a->json_len}, m, AT_COUNT);
	scan_number(m[AT_EXIT].value, &exit_code);
	scan_number(m[AT_SIGNAL].value, &number);
	scan_number(m[AT_PROCESS].value, &process);
	*ret = (struct ward_result){
		.end = m[AT_REASON].value.at ? end_of(m[AT_REASON].value) : WARD_END_STARTED,
		.exit_code = (int)exit_code,
		.signal = (int)number,
		.process = (long)process,
		.out_truncated = scan_is_true(m[AT_OUT_CUT].value),
		.err_truncated = scan_is_true(m[AT_ERR_CUT].value)};
	ret->out = take_stream(m[AT_OUT].value, m[AT_OUT64].value, &ret->out_len);
	ret->err = take_stream(m[AT_ERR].value, m[AT_ERR64].value, &ret->err_len);
	ret->json = a->json;
	ret->json_len = a->json_len;
	a->json = NULL;
	if (ret->out && ret->err)
		return WARD_OK;
	ward_result_free(ret);
	return handle_fail(w, WARD_NOMEM, "no memory for the output");
}

int ward_exec(struct ward *w, const struct ward_command *c, struct ward_result *ret)
{
	struct ward_callbacks callbacks = {.ctx = c->ctx, .on_output = c->on_output};
	struct ward_answer answer;
	struct put arguments = {0};
	int r;

	*ret = (struct ward_result){.exit_code = -1};
	put_command(&arguments, c);
	r = call_put(w, "exec", &arguments, &callbacks, &answer);
	if (r == WARD_OK)
		r = take_result(w, &answer, ret);
	ward_answer_free(&answer);
	return r;
}

/* The content that an answer has as base64, decoded. */
static int take_content(struct ward *w, const struct ward_answer *a, char **ret, size_t *ret_len)
{
	struct span content;
	char *to;

	if (!scan_member((struct span){a->json, a->json_len}, "contentBase64", &content))
		return handle_fail(w, WARD_FAILED, "the answer has no content");
	to = malloc(content.len + 1);
	if (!to)
		return handle_fail(w, WARD_NOMEM, "no memory for the file");
	if (!scan_base64(content, to, ret_len)) {
		free(to);
		return handle_fail(w, WARD_FAILED, "the answer cannot be read");
	}
	*ret = to;
	return WARD_OK;
}

int ward_read(struct ward *w, const char *path, char **ret, size_t *ret_len)
{
	struct put arguments = {0};
	struct ward_answer answer;
	int r;

	put_raw(&arguments, "{");
	put_text(&arguments, "path", path);
	put_text(&arguments, "encoding", "base64"); /* whatever is in it */
	r = call_put(w, "read", &arguments, NULL, &answer);
	if (r == WARD_OK)
		r = take_content(w, &answer, ret, ret_len);
	ward_answer_free(&answer);
	return r;
}

/* Whether it did it is all that counts. */
static int call_only(struct ward *w, const char *tool, struct put *arguments)
{
	struct ward_answer answer;
	int r = call_put(w, tool, arguments, NULL, &answer);

	ward_answer_free(&answer);
	return r;
}

int ward_write(struct ward *w, const char *path, const void *data, size_t len)
{
	struct put arguments = {0};
	bool text = scan_is_utf8(data, len);

	put_raw(&arguments, "{");
	put_text(&arguments, "path", path);
	put_key(&arguments, "content");
	if (text)
		put_string(&arguments, data, len);
	else
		put_base64(&arguments, data, len);
	put_text(&arguments, "encoding", text ? NULL : "base64");
	return call_only(w, "write", &arguments);
}

int ward_edit(struct ward *w, const char *path, const char *old_text, const char *new_text, int all)
{
	struct put arguments = {0};

	put_raw(&arguments, "{");
	put_text(&arguments, "path", path);
	put_text(&arguments, "oldText", old_text);
	put_text(&arguments, "newText", new_text);
	if (all) {
		put_key(&arguments, "all");
		put_raw(&arguments, "true");
	}
	return call_only(w, "edit", &arguments);
}

int ward_patch(struct ward *w, const char *patch)
{
	struct put arguments = {0};

	put_raw(&arguments, "{");
	put_text(&arguments, "patch", patch);
	return call_only(w, "apply_patch", &arguments);
}

static int call_json(struct ward *w, const char *tool, struct put *arguments, char **ret_json)
{
	struct ward_answer answer;
	int r = call_put(w, tool, arguments, NULL, &answer);

	if (r == WARD_OK) {
		*ret_json = answer.json;
		answer.json = NULL;
	}
	ward_answer_free(&answer);
	return r;
}

int ward_list(struct ward *w, const char *path, unsigned depth, char **ret_json)
{
	struct put arguments = {0};

	put_raw(&arguments, "{");
	put_text(&arguments, "path", path);
	if (depth) {
		put_key(&arguments, "depth");
		put_number(&arguments, depth);
	}
	return call_json(w, "list", &arguments, ret_json);
}

int ward_search(struct ward *w, const char *pattern, const char *path, char **ret_json)
{
	struct put arguments = {0};

	put_raw(&arguments, "{");
	put_text(&arguments, "pattern", pattern);
	put_text(&arguments, "path", path);
	return call_json(w, "search", &arguments, ret_json);
}

int ward_status(struct ward *w, char **ret_json)
{
	struct put arguments = {0};

	put_raw(&arguments, "{");
	return call_json(w, "session_status", &arguments, ret_json);
}

int ward_tools(struct ward *w, char **ret_json)
{
	static const struct put none;
	int error = 1, r;
	struct ward_answer answer = {0};
	struct call like = {.kind = CALL_PLAIN, .keep = &answer, .ret_error = &error};

	if (w->inside)
		return handle_fail(w, WARD_BUSY, "this is not for callbacks");
	r = calls_send(w, "tools/list", &none, &like, NULL);
	if (r == WARD_OK)
		r = calls_wait(w, &error, 0);
	if (r == WARD_OK) {
		*ret_json = answer.json;
		answer.json = NULL;
	}
	ward_answer_free(&answer);
	return r;
}
