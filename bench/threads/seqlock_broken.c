// A sequence lock whose readers look only at the start whether a writer is there.
// verdict: violated assertion
// row: small -DREADERS=1 -DROUNDS=1
// row: medium -DREADERS=2 -DROUNDS=4
#include <assert.h>
#include <pthread.h>

static _Atomic int sequence, left, right;

static void *writer(void *unused)
{
    for (int value = 1; value <= ROUNDS; value++) {
        sequence++;
        left = value;
        right = value;
        sequence++;
    }
    return unused;
}

static void *reader(void *unused)
{
    while (sequence % 2 != 0) {
    }
    int seen_left = left, seen_right = right;
    assert(seen_left == seen_right);
    return unused;
}

int main(void)
{
    pthread_t threads[READERS + 1];
    for (int i = 0; i <= READERS; i++)
        pthread_create(&threads[i], 0, i == 0 ? writer : reader, 0);
    for (int i = 0; i <= READERS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
