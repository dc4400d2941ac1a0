#include <stdio.h>
#include "lines.h"

typedef long (*Step)(long);

static long twice(long x) { return clamp(2 * x); }

static long square(long x) {
    return clamp(x * x);
}

static long steps(Step *all, int count, long x) {
    long sum = 0;
    for (int i = 0; i < count; i++)
        sum += all[i](x);
    return sum;
}

static long deep(int depth) {
    if (depth == 0)
        return 1;
    return deep(depth - 1)
         + twice(depth);
}

int main(void) {
    Step all[] = {twice, square, square};
    long sum = 0;
    for (long x = 0; x < 50; x++)
        sum += steps(all, 3, x);
    sum += deep(5) + deep(2);
    printf("%ld\n", sum);
    return 0;
}
