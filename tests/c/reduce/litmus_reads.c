// Three threads that mostly read one variable: all six outcomes are found, and no other. The thread that writes last
// must not be taken for independent of the second reader because the first one is through.
// run: check -DA=0 -DB=0 -DC=0 => violated assertion
// run: check -DA=0 -DB=0 -DC=1 => violated assertion
// run: check -DA=0 -DB=1 -DC=1 => violated assertion
// run: check -DA=1 -DB=0 -DC=0 => violated assertion
// run: check -DA=1 -DB=0 -DC=1 => violated assertion
// run: check -DA=1 -DB=1 -DC=1 => violated assertion
// run: check -DA=0 -DB=1 -DC=0 => verified
// run: check -DA=1 -DB=1 -DC=0 => verified
// with: --reduce global-access | --reduce dpor | --reduce superstep | --table-from 0
#include <assert.h>
#include <pthread.h>

static _Atomic int x;
static int a, b, c, d;

static void *one(void *unused)
{
    a = x;
    return unused;
}

static void *two(void *unused)
{
    b = x;
    c = x;
    return unused;
}

static void *three(void *unused)
{
    d = x;
    x = 1;
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], 0, one, 0);
    pthread_create(&threads[1], 0, two, 0);
    pthread_create(&threads[2], 0, three, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    assert(d == 0);
    assert(a != A || b != B || c != C); // fails
    return 0;
}
