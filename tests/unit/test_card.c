/* SPDX-License-Identifier: Apache-2.0 */
#include "model/card.h"
#include "test.h"

#include <errno.h>

static struct card good(void)
{
	return (struct card){.version = CARD_VERSION,
		.size = sizeof(struct card),
		.pid = 1,
		.state = CARD_RUNNING};
}

static void test_checks(void)
{
	struct card c = good();

	check_int(card_check(&c, sizeof c), 0);
	check_int(card_check(&c, sizeof c - 1), -EPROTONOSUPPORT);
	check_int(card_check(&c, 0), -EPROTONOSUPPORT);
	c.version++;
	check_int(card_check(&c, sizeof c), -EPROTONOSUPPORT);
	c = good();
	c.size--;
	check_int(card_check(&c, sizeof c), -EPROTONOSUPPORT);
	c = good();
	c.state = CARD_STATE_COUNT;
	check_int(card_check(&c, sizeof c), -EPROTO);
	c.state = -1;
	check_int(card_check(&c, sizeof c), -EPROTO);
	c = good();
	c.pid = 0;
	check_int(card_check(&c, sizeof c), -EPROTO);
}

static void test_texts_end(void)
{
	struct card c = good();

	memset(c.session, 'x', sizeof c.session);
	memset(c.workspace, 'x', sizeof c.workspace);
	memset(c.paths, 'x', sizeof c.paths);
	check_int(card_check(&c, sizeof c), 0);
	check_u64(strlen(c.session), sizeof c.session - 1);
	check_u64(strlen(c.workspace), sizeof c.workspace - 1);
	for (int i = 0; i < CARD_FILES; i++)
		check_u64(strlen(c.paths[i]), sizeof c.paths[i] - 1);
}

static const struct test tests[] = {
	{"only a card of this version is one", test_checks},
	{"every text ends", test_texts_end},
};
TEST_MAIN(tests)
