// Claims over flat states: the end of the program while others spin, a thread that goes round by itself, a region that
// waits, a choice, and a pointer in a proposition.
// run: check --engine flat --property livelock => violated livelock
// run: check --engine flat --fair --ltl <>(state==3) => verified
// run: check --engine flat --ltl <>(state==3) => violated ltl
// run: check --engine flat --ltl []<>(spins) => verified
// run: check --engine flat --invariant *seen<2||state==3 => verified
// run: check --engine flat --invariant *seen<2 => violated invariant
// run: check --engine flat -DENDS --property livelock => verified
// run: check --engine flat -DENDS --property termination => verified
// run: check --engine flat -DENDS --fair --ltl <>[](state==3) => verified
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

extern _Bool __VERIFIER_nondet_bool(void);

static atomic_int state, spins;
static atomic_int *seen = &state;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *spin(void *unused)
{
    for (;;) // fails
        spins = !spins; // fails
    return unused;
}

static void *step(void *unused)
{
    pthread_mutex_lock(&lock); // fails
    if (__VERIFIER_nondet_bool()) // fails
        state = 1; // fails
    pthread_mutex_unlock(&lock); // fails
    return unused; // fails
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, spin, 0); // fails
    pthread_create(&threads[1], 0, step, 0); // fails
    pthread_join(threads[1], 0); // fails
    state = 3; // fails
#ifdef ENDS
    exit(0);
#endif
    pthread_join(threads[0], 0); // fails
    return 0;
}
