#include <stdio.h>
#include <stdlib.h>

typedef long (*Step)(long);

static long square(long x) {
    long sum = 0;
    for (long i = 1; i < 200; i++)
        sum += x / i;
    for (long i = 1; i < 100; i++)
        sum ^= x % i;
    return sum;
}

static long twice(long x) {
    return square(x)
         + square(x + 1);
}

static long chosen(Step step, long x) {
    return step(x);
}

static long deep(int depth, long x) {
    if (depth == 0)
        return square(x);
    return deep(depth - 1, x) + 1;
}

int main(int count, char **words) {
    long rounds = count > 1 ? atol(words[1]) : 1000;
    long sum = 0;
    for (long i = 0; i < rounds; i++) {
        sum += twice(i);
        sum += chosen(i % 2 ? square : twice, i);
        sum += deep(3, i);
    }
    printf("%ld\n", sum);
    return 0;
}
