#include <stdio.h>
static inline __attribute__((always_inline)) long step(long x) { return x * 1103515245 + 12345; }
__attribute__((noinline)) long spin(long n) { volatile long x = n; for (long i = 0; i < n; i++) x = step(x) ^ i; return x; }
__attribute__((noinline)) long twice(long n) { return spin(n) + spin(n / 2); }
int main(void) { long sum = 0; for (int i = 0; i < 60; i++) sum += twice(500000) + spin(100000); printf("%ld\n", sum); return 0; }
