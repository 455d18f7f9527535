// As cut_race.c, but the others do nothing wrong: what has no meaning is all that stands against a proof.
// run: check
// run: check --reduce global-access
// run: check --reduce superstep
// run: check --reduce none
// verdict: unknown inline assembly `frobnicate`
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *write(void *unused)
{
    pthread_mutex_lock(&lock);
    shared = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, 0, write, 0);
    pthread_create(&second, 0, write, 0);
    __asm__ volatile("frobnicate");
}
