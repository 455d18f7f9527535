// Two threads take a lock that lies in a record to which both have a pointer.
// run: check
// verdict: verified
// models: c verified
#include <assert.h>
#include <pthread.h>

struct queue {
    pthread_mutex_t lock;
    int n;
};

static struct queue queue;

static void *put(void *argument)
{
    struct queue *queue = argument;
    int seen;
    pthread_mutex_lock(&queue->lock);
    seen = queue->n;
    queue->n = seen + 1;
    pthread_mutex_unlock(&queue->lock);
    return 0;
}

int main(void)
{
    pthread_t one, other;
    pthread_mutex_init(&queue.lock, 0);
    pthread_create(&one, 0, put, &queue);
    pthread_create(&other, 0, put, &queue);
    pthread_join(one, 0);
    pthread_join(other, 0);
    assert(queue.n == 2);
    return 0;
}
