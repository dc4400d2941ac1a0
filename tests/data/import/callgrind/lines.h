#ifndef LINES_H
#define LINES_H

static inline __attribute__((always_inline)) long clamp(long x) {
    if (x > 1000)
        x = 1000 - x % 7;
    return x;
}

#endif
