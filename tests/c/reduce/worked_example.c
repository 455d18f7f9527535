// Three threads whose steps meet in k, x and y by pointers: the sum sees each of the four mixtures of old and new.
// run: check -DSUM=9 => violated assertion
// run: check -DSUM=4 => violated assertion
// run: check -DSUM=13 => violated assertion
// run: check -DSUM=8 => violated assertion
// run: check -DSUM=0 => verified
// with: --reduce global-access | --reduce dpor | --reduce superstep | --table-from 0
#include <assert.h>
#include <pthread.h>

static _Atomic int k = 10, x = 3, y = 2, m;
static _Atomic int *kp = &k, *xp = &x;
static int sum;

static void *one(void *unused)
{
    int t = *kp;
    t -= x;
    t += y;
    sum = t;
    return unused;
}

static void *two(void *unused)
{
    y = 6;
    return unused;
}

static void *three(void *unused)
{
    m = 1;
    int seen = k;
    *xp = seen - 2;
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
    assert(sum != SUM); // fails
    return 0;
}
