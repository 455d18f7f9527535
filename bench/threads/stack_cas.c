// A lock-free stack of the nodes of an array; a tag beside the top makes an old top differ from a new one.
// verdict: verified
// row: small -DN=2 -DROUNDS=1
// row: medium -DN=2 -DROUNDS=3
// row: large -DN=3 -DROUNDS=3
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define NODES 3

static _Atomic int top, next[NODES + 1], is_owned[NODES + 1];

static void push(int node)
{
    int old = top;
    do
        next[node] = old % 8;
    while (!atomic_compare_exchange_strong(&top, &old, (old / 8 + 1) * 8 + node));
}

static int pop(void)
{
    int old = top, after;
    do {
        if (old % 8 == 0)
            return 0;
        after = next[old % 8];
    } while (!atomic_compare_exchange_strong(&top, &old, (old / 8 + 1) * 8 + after));
    return old % 8;
}

static void *worker(void *unused)
{
    for (int round = 0; round < ROUNDS; round++) {
        int node = pop();
        if (node == 0)
            continue;
        assert(atomic_exchange(&is_owned[node], 1) == 0);
        is_owned[node] = 0;
        push(node);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 1; i <= NODES; i++)
        next[i] = i - 1;
    top = NODES;
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    int n_nodes = 0;
    for (int i = top % 8; i != 0; i = next[i])
        n_nodes++;
    assert(n_nodes == NODES);
    return 0;
}
