// A sequence lock: readers try again when a writer was there meanwhile.
// verdict: verified
// row: small -DREADERS=1 -DROUNDS=1
// row: medium -DREADERS=2 -DROUNDS=4
// row: medium -DREADERS=3 -DROUNDS=2
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
    int before, seen_left, seen_right;
    do {
        do
            before = sequence;
        while (before % 2 != 0);
        seen_left = left;
        seen_right = right;
    } while (sequence != before);
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
