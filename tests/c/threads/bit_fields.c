// Adjacent bit-fields are one place in memory: writing both at once is a race.
// run: check
// verdict: violated data-race
#include <pthread.h>

static struct { unsigned a : 3, b : 5; } pair;

static void *other_half(void *unused)
{
    pair.b = 2;
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, 0, other_half, 0);
    pair.a = 1; // fails
    pthread_join(other, 0);
    return 0;
}
