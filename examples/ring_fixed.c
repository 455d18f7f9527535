// The ring buffer of ring.c, repaired: everything comes out in the order it went in.
#include <assert.h>
#include <stdbool.h>

#define CAPACITY 4

extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);

struct ring {
    int slot[CAPACITY];
    unsigned head, count;
};

static bool put(struct ring *ring, int value)
{
    if (ring->count >= CAPACITY)
        return false;
    ring->slot[(ring->head + ring->count) % CAPACITY] = value;
    ring->count++;
    return true;
}

static bool get(struct ring *ring, int *value)
{
    if (ring->count == 0)
        return false;
    *value = ring->slot[ring->head];
    ring->head = (ring->head + 1) % CAPACITY;
    ring->count--;
    return true;
}

int main(void)
{
    struct ring ring = {0};
    int sent = 0, received = 0;

    while (sent < 8) {
        if (__VERIFIER_nondet_bool()) {
            if (put(&ring, sent))
                sent++;
        } else {
            int value;
            if (get(&ring, &value))
                assert(value == received++);
        }
    }
    return 0;
}
