/* Two threads that work through trees of tasks, for a recording with threads, recursion and arguments. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tree { int depth; const char *name; };

int weigh(const char *name, int depth)
{
	if (depth == 0)
		return (int)strlen(name);
	return weigh(name, depth - 1) + weigh(name, depth - 2 > 0 ? depth - 2 : 0);
}

double share(double part, int parts)
{
	return part / parts;
}

void *work(void *argument)
{
	struct tree *tree = argument;
	int weight = weigh(tree->name, tree->depth);
	printf("%s %.1f\n", tree->name, share(weight, 2));
	return NULL;
}

int main(void)
{
	struct tree trees[2] = { { 4, "left" }, { 6, "right" } };
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, &trees[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	char *copy = malloc(8);
	strcpy(copy, "done");
	puts(copy);
	free(copy);
	return 0;
}
