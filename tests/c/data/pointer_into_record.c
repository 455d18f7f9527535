// Pointers to fields of elements and to arrays in records, also through a pointer to the record.
// run: check
// verdict: verified
// models: promela verified, c verified
#include <assert.h>

struct queue {
    int used;
    int cells[3];
};

static struct queue queues[2];

static void put(int *cell, int value)
{
    *cell = value;
}

static void append(struct queue *queue, int value)
{
    put(&queue->cells[queue->used], value);
    put(&queue->used, queue->used + 1);
}

int main(void)
{
    struct queue own = {0, {0, 0, 0}};
    append(&queues[1], 4);
    append(&queues[1], 5);
    append(&own, 6);
    assert(queues[0].used == 0 && queues[1].used == 2);
    assert(queues[1].cells[0] == 4 && queues[1].cells[1] == 5);
    assert(own.used == 1 && own.cells[0] == 6);
    return 0;
}
