// A width of zero, another member and an inner structure end a memory location (C11 3.14).
// run: check
// verdict: verified
#include <pthread.h>

static struct {
    unsigned low : 8;
    unsigned : 0;
    unsigned high : 8;
    unsigned char between;
    unsigned last : 8;
    struct {
        unsigned inner : 8;
    } nested;
} flags;

static void *set_others(void *arg)
{
    flags.high = 1;
    flags.nested.inner = 1;
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, set_others, NULL);
    flags.low = 1;
    flags.between = 1;
    flags.last = 1;
    pthread_join(thread, NULL);
    return 0;
}
