// A store or an order of searching means flat states, without asking for them.
// run: check --store tree => verified
// run: check --search depth => verified
// run: check --store tree -DLOST => violated assertion
// stdout: "engine":"flat"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int n;

static void *add(void *unused)
{
#ifdef LOST
    n = n + 1;
#else
    n++;
#endif
    return unused;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, add, 0);
    pthread_create(&other, 0, add, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    assert(n == 2); // fails
    return 0;
}
