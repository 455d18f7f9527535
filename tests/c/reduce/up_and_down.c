// One thread adds fives, one takes twos away, each step at once: 13 and 32 steps, 462 states where they can switch.
// After three rounds of each there are 9, whose remainder by five is four.
// run: check -DCHECK= => verified
// run: check -DCHECK=assert(d%5!=4) => violated assertion
// with: --reduce global-access | --reduce dpor | --reduce superstep | --table-from 0
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int d;

static void change(int by)
{
    __VERIFIER_atomic_begin();
    d += by;
    CHECK; // fails
    __VERIFIER_atomic_end();
}

static void *up(void *unused)
{
    for (int i = 0; i < 64; i += 5)
        change(5);
    return unused;
}

static void *down(void *unused)
{
    for (int j = 0; j < 64; j += 2)
        change(-2);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, up, 0);
    pthread_create(&threads[1], 0, down, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(d == 1);
    return 0;
}
