// An input with too many values: where the thread that needs its value stands, the others go on with all of them.
// run: check => violated data-race
// run: check --reduce global-access => violated data-race
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t start = PTHREAD_MUTEX_INITIALIZER;
static int input, shared;

static void *write(void *unused)
{
    pthread_mutex_lock(&start);
    pthread_mutex_unlock(&start);
    if (input == 777)
        shared = 1; // fails
    return unused;
}

int main(void)
{
    pthread_t first, second;
    input = __VERIFIER_nondet_int();
    unsigned own = (unsigned)input;
    pthread_mutex_lock(&start);
    pthread_create(&first, 0, write, 0);
    pthread_create(&second, 0, write, 0);
    pthread_mutex_unlock(&start);
    return own * own % 1000 == 3;
}
