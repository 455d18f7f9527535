// A data race between threads without locks.
// run: check
// verdict: violated data-race
// stdout: neither thread holds a lock
// stdout: "related":[{"file":"race_no_lock.c"
#include <pthread.h>

static int flag;

static void *set(void *unused)
{
    flag = 1; // fails
    return unused;
}

int main(void)
{
    pthread_t one;
    pthread_create(&one, 0, set, 0);
    while (!flag) {
    }
    pthread_join(one, 0);
    return 0;
}
