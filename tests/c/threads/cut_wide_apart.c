// As cut_wide.c, but each thread writes for another value of the input, so that no execution has both writes.
// run: check
// run: check --reduce global-access
// verdict: unknown
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t start = PTHREAD_MUTEX_INITIALIZER;
static int input, shared;

static void *write(void *value)
{
    pthread_mutex_lock(&start);
    pthread_mutex_unlock(&start);
    if (input == *(int *)value)
        shared = 1;
    return 0;
}

int main(void)
{
    pthread_t first, second;
    static int one = 777, two = 778;
    input = __VERIFIER_nondet_int();
    unsigned own = (unsigned)input;
    pthread_mutex_lock(&start);
    pthread_create(&first, 0, write, &one);
    pthread_create(&second, 0, write, &two);
    pthread_mutex_unlock(&start);
    return own * own % 1000 == 3;
}
