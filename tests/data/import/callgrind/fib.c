#include <stdio.h>

static int even(int n);

static int odd(int n) { return n == 0 ? 0 : even(n - 1); }

static int even(int n) { return n == 0 ? 1 : odd(n - 1); }

static long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

static long sum(int n) {
    long total = 0;
    for (int i = 0; i < n; i++)
        total += fib(i);
    return total;
}

int main(void) {
    printf("%ld %d\n", sum(12), even(9));
    return 0;
}
