// How much a semaphore holds is unknown: only if it holds nothing, nobody gets through.
// run: check
// verdict: violated deadlock
#include <pthread.h>
#include <semaphore.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static sem_t gate;

static void *pass(void *unused)
{
    sem_wait(&gate); // fails
    return unused;
}

int main(void)
{
    pthread_t other;
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= 0 && n <= 3);
    sem_init(&gate, 0, (unsigned)n);
    pthread_create(&other, 0, pass, 0);
    pthread_join(other, 0);
    return 0;
}
