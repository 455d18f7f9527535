// Peterson's lock is taken again and again by both threads if the scheduler is fair, and only then.
// run: check --invariant exclusion => verified
// run: check --invariant in_section[0]+in_section[1]<=1 => verified
// run: check --fair --ltl []<>(in_section[0]) => verified
// run: check --ltl []<>(in_section[0]) => violated ltl
// run: check --fair --ltl [](wants[0]-><>(in_section[0])) => verified
// run: check --ltl []!(in_section[0]&&in_section[1]) => verified
// run: check --ltl <>(in_section[0]&&in_section[1]) => violated ltl
// run: check --fair --ltl [](in_section[0]->(in_section[0]U!in_section[0])) => verified
// run: check --fair --ltl <>[](!in_section[1]) => violated ltl
// run: check --property livelock => verified
// run: check -Dprogress=other --property livelock => violated livelock
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], turn;
static int in_section[2];

int exclusion(void) { return !(in_section[0] && in_section[1]); }

static void *work(void *argument)
{
    int me = argument != 0;
    for (;;) {
        wants[me] = 1; // fails
        turn = me;
        while (wants[1 - me] && turn == me) // fails
            ;
        in_section[me] = 1;
    progress:
        in_section[me] = 0;
        wants[me] = 0;
    }
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, 0, work, (void *)1);
    work(0);
}
