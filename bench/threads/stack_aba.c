// A lock-free stack without tags: a node that came back is taken for one that never left.
// verdict: violated assertion
// row: medium -DN=2 -DROUNDS=2
// row: medium -DN=3 -DROUNDS=2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define NODES 3

static _Atomic int top, next[NODES + 1], is_owned[NODES + 1];

static void push(int node)
{
    is_owned[node] = 0;
    int old = top;
    do
        next[node] = old;
    while (!atomic_compare_exchange_strong(&top, &old, node));
}

static int pop(void)
{
    int old = top, after;
    do {
        if (old == 0)
            return 0;
        after = next[old];
    } while (!atomic_compare_exchange_strong(&top, &old, after));
    assert(atomic_exchange(&is_owned[old], 1) == 0);
    return old;
}

static void *worker(void *unused)
{
    for (int round = 0; round < ROUNDS; round++) {
        int first = pop(), second = pop();
        if (first != 0)
            push(first);
        if (second != 0)
            push(second);
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
    return 0;
}
