/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/number.h"
#include "base/str.h"
#include "cli/cli.h"

#include <errno.h>
#include <string.h>

static const struct source command_line = {"command line", LEVEL_CALLER};

static int unknown(const struct command *command, const char *option, struct err *e)
{
	auto_(buf_free) struct buf shown = BUF(100), name = BUF(100);
	const char *near = NULL;

	buf_add(&name, option + 2, strcspn(option + 2, "="));
	if (command->options)
		near = field_nearest(command->options, buf_text(&name));
	escape_text(&shown, option);
	if (near && str_starts(option, "--"))
		return err_set(e, EINVAL, "unknown option '%s'; did you mean '--%s'?",
			buf_text(&shown), near);
	if (command->args && str_starts(command->args, "-- "))
		return err_set(e, EINVAL,
			"unknown option '%s'; 'ward %s --help' lists the options, those of the "
			"command come behind '--'",
			buf_text(&shown), command->name);
	return err_set(e, EINVAL, "unknown option '%s'; 'ward %s --help' lists the options",
		buf_text(&shown), command->name);
}

static const struct field *find_letter(const struct field *table, char letter)
{
	for (; table && table->name; table++)
		if (table->letter == letter)
			return table;
	return NULL;
}

/* --name, --name=value or -x; *ret_value is the part behind = or NULL. */
static const struct field *find_option(
	const struct command *command, const char *arg, const char **ret_value)
{
	char name[64];
	size_t len;

	*ret_value = NULL;
	if (arg[1] != '-')
		return arg[2] == '\0' ? find_letter(command->options, arg[1]) : NULL;
	len = strcspn(arg + 2, "=");
	if (len == 0 || len >= sizeof name || !command->options)
		return NULL;
	memcpy(name, arg + 2, len);
	name[len] = '\0';
	if (arg[2 + len] == '=')
		*ret_value = arg + 2 + len + 1;
	return field_find(command->options, name);
}

static int add_to_list(struct call *c, struct opt_list *list, const char *text)
{
	struct item *items = (struct item *)list->items;

	if ((list->count & (list->count - 1)) == 0) { /* full: 0, 1, 2, 4, ... */
		items = arena_array(c->arena, 2 * list->count + 1, sizeof *items);
		for (size_t i = 0; i < list->count; i++)
			items[i] = list->items[i];
	}
	items[list->count] = (struct item){text, {.source = &command_line}};
	list->items = items;
	list->count++;
	return 0;
}

static int set_enum(const struct field *f, const char *text, struct opt_enum *ret, struct err *e)
{
	auto_(buf_free) struct buf list = BUF(200), shown = BUF(60);

	for (int i = 0; f->names[i]; i++) {
		if (str_eq(f->names[i], text)) {
			ret->v = i;
			return 0;
		}
		buf_printf(&list, "%s%s", i ? ", " : "", f->names[i]);
	}
	escape_text(&shown, text);
	return err_set(
		e, EINVAL, "--%s '%s' is none of %s", f->name, buf_text(&shown), buf_text(&list));
}

static int set_number(
	const struct field *f, const char *text, struct opt_number *ret, struct err *e)
{
	int r = f->type == FIELD_SIZE       ? number_size(text, &ret->v, e)
		: f->type == FIELD_DURATION ? number_duration(text, &ret->v, e)
					    : number_count(text, &ret->v, e);

	if (r == 0 && ret->v == 0 && !f->zero)
		r = err_set(e, ERANGE, "must be at least 1");
	return r < 0 ? err_ctx(e, r, "--%s", f->name) : 0;
}

static int set_value(
	struct call *c, const struct field *f, void *value, const char *text, struct err *e)
{
	*(struct where *)value = (struct where){.source = &command_line};
	if (f->type == FIELD_ENUM)
		return set_enum(f, text, value, e);
	if (f->type == FIELD_LIST)
		return add_to_list(c, value, text);
	if (f->type == FIELD_COUNT || f->type == FIELD_SIZE || f->type == FIELD_DURATION)
		return set_number(f, text, value, e);
	if (f->check) {
		int r = f->check(text, e);

		if (r < 0)
			return err_ctx(e, r, "--%s", f->name);
	}
	((struct opt_text *)value)->v = text;
	return 0;
}

static int take_option(
	struct call *c, char **argv, size_t argc, size_t *io, void *options, struct err *e)
{
	const char *arg = argv[*io], *text;
	const struct field *f = find_option(c->command, arg, &text);
	void *value;

	if (!f)
		return unknown(c->command, arg, e);
	value = field_at(f, options);
	if (f->type == FIELD_BOOL) {
		if (text)
			return err_set(e, EINVAL, "option '--%s' takes no value", f->name);
		*(struct opt_bool *)value = (struct opt_bool){{.source = &command_line}, true};
		return 0;
	}
	if (f->type != FIELD_LIST && ((const struct where *)value)->source)
		return err_set(e, EINVAL, "option '--%s' is given twice", f->name);
	if (!text) {
		if (*io + 1 >= argc)
			return err_set(e, EINVAL, "option '--%s' needs a value: --%s %s", f->name,
				f->name, f->arg);
		text = argv[++*io];
	}
	return set_value(c, f, value, text, e);
}

static int too_many(const struct call *c, const char *arg, struct err *e)
{
	auto_(buf_free) struct buf shown = BUF(100);

	escape_text(&shown, arg);
	return err_set(e, EINVAL, "unexpected argument '%s'; usage: ward %s [OPTIONS]%s%s",
		buf_text(&shown), c->command->name, c->command->args ? " " : "",
		c->command->args ? c->command->args : "");
}

int options_parse(struct call *c, char **argv, size_t argc, void *options, struct err *e)
{
	int r = 0;

	c->args = arena_array(c->arena, argc + 1, sizeof *c->args);
	for (size_t i = 0; i < argc && r == 0; i++) {
		if (!c->after_dashes && str_eq(argv[i], "--")) {
			c->after_dashes = true;
			continue;
		}
		if (!c->after_dashes && argv[i][0] == '-' && argv[i][1] != '\0') {
			r = take_option(c, argv, argc, &i, options, e);
			continue;
		}
		if (c->arg_count == c->command->max_args)
			return too_many(c, argv[i], e);
		c->args[c->arg_count++] = argv[i];
	}
	return r;
}
