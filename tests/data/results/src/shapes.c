#include <stdio.h>
#include <stdlib.h>

static int area(int width, int height)
{
    int unused;
    return width * height;
}

static int never(int value)
{
    return value - 1;
}

static char *leak(int bytes)
{
    char *text = malloc(bytes);
    text[0] = 0;
    return bytes > 4 ? 0 : text;
}

int main(int argc, char **argv)
{
    int sum = 0;
    for (int side = 0; side < 3; side++)
        sum += area(side, side);
    if (argc > 9)
        sum = never(sum);
    printf("%d %d\n", sum, leak(3) != 0);
    return 0;
}
