/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Runs a fuzz target over the inputs that are in the tree, as one test: replay DIRECTORY. The input
 * that runs is named first, so that a crash shows which one it was.
 */

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *folder, const char *name)
{
	static uint8_t data[8u << 20];
	char path[4096];
	uint8_t *exact;
	FILE *file;
	size_t size;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	printf("# %s\n", path);
	fflush(stdout);
	file = fopen(path, "re");
	if (!file)
		return -1;
	size = fread(data, 1, sizeof data, file);
	fclose(file);
	/* A block of exactly that size, so that one byte too far is seen. */
	exact = malloc(size ? size : 1);
	if (!exact)
		return -1;
	for (size_t i = 0; i < size; i++)
		exact[i] = data[i];
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
	return 0;
}

int main(int argc, char **argv)
{
	struct dirent **names;
	int count = argc == 2 ? scandir(argv[1], &names, NULL, alphasort) : -1;
	int inputs = 0, unread = 0;

	printf("1..1\n");
	for (int i = 0; i < count; i++) {
		if (names[i]->d_name[0] != '.') {
			inputs++;
			unread += replay(argv[1], names[i]->d_name) != 0;
		}
		free(names[i]);
	}
	if (count >= 0)
		free(names);
	printf("%sok 1 - %d inputs\n", inputs == 0 || unread ? "not " : "", inputs);
	return inputs == 0 || unread ? 1 : 0;
}
