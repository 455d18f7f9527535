// Neighbouring bit-fields are one memory location (C11 3.14), also where they share no byte.
// run: check
// verdict: violated data-race
#include <pthread.h>

static struct {
    unsigned low : 8, high : 8;
} flags;

static void *set_high(void *arg)
{
    flags.high = 1;
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, set_high, NULL);
    flags.low = 1; // fails
    pthread_join(thread, NULL);
    return 0;
}
