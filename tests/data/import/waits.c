// Recorded as threads.uftrace: threads that hold a lock in turn, and one that sleeps until the program ends.
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long sum;

void work(int n) { for (int i = 0; i < n; i++) sum += i % 7; }

void step(int depth) {
    if (depth > 0) step(depth - 1);
    work(2000);
}

void hold(int depth) {
    pthread_mutex_lock(&lock);
    usleep(300);
    step(depth);
    pthread_mutex_unlock(&lock);
}

void *worker(void *depth) {
    for (int i = 0; i < 8; i++) hold((int)(long)depth);
    return 0;
}

void *sleeper(void *unused) {
    step(2);
    for (;;) usleep(100000);
}

int main(void) {
    pthread_t threads[4];
    pthread_create(&threads[0], 0, sleeper, 0);
    for (long i = 1; i < 4; i++) pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 1; i < 4; i++) pthread_join(threads[i], 0);
    return 0;
}
