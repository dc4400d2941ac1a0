/* Two processes without a library, one with a name of its own, which work in functions that are inlined. */
static long call(long number, long a, long b, long c, long d)
{
    register long fourth __asm__("r10") = d;
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth) : "rcx", "r11", "memory");
    return result;
}

static volatile double sink;

static inline __attribute__((always_inline)) double leaf(double x)
{
    double sum = 0;
    for (int i = 1; i < 3000; i++)
        sum += x / i;
    return sum;
}

static inline __attribute__((always_inline)) double middle(double x)
{
    return leaf(x) + leaf(x * 2);
}

__attribute__((noinline)) double work(double x)
{
    return middle(x) + 1;
}

__attribute__((noinline)) void repeat(int times)
{
    for (int i = 0; i < times; i++)
        sink += work(i);
}

__attribute__((noinline)) void child(void)
{
    call(157, 15, (long)"a child", 0, 0);
    repeat(4000);
}

void _start(void)
{
    long process = call(57, 0, 0, 0, 0);
    if (process == 0)
        child();
    else {
        repeat(8000);
        call(61, process, 0, 0, 0);
    }
    call(60, 0, 0, 0, 0);
}
