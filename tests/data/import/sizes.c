/* Calls with arguments of every type that uftrace records. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum colour { RED, GREEN = 5, BLUE };

int resize(const char *name, unsigned size, int8_t step)
{
	return (int)(size + step) - (int)strlen(name);
}

double scale(double by, float part, uint64_t count)
{
	return by * part * count;
}

const char *choose(enum colour colour, char letter, void *where)
{
	return where && letter == 'x' && colour == GREEN ? "yes" : NULL;
}

int main(void)
{
	int total = 0;
	for (int i = 0; i < 20; i++)
		total += resize(i % 3 ? "left" : "right side", 100 * i, -i);
	total += (int)scale(1.5, 0.25f, 1ull << 40);
	const char *chosen = choose(GREEN, 'x', &total);
	total += choose(BLUE, 'y', NULL) == NULL;
	total += resize(NULL == chosen ? "none" : chosen, 4000000000u, 127);
	printf("%d %s\n", total, chosen);
	return 0;
}
