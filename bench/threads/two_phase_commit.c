// Two-phase commit over one-place queues: all decide the same, and commit only if all agreed.
// verdict: verified
// row: small -DN=2
// row: medium -DN=4
// row: large -DN=6
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

extern _Bool __VERIFIER_nondet_bool(void);

struct queue {
    sem_t n_free, n_used;
    bool message;
};

static struct queue votes[N], orders[N];
static bool voted[N], decided[N];

static void send(struct queue *queue, bool message)
{
    sem_wait(&queue->n_free);
    queue->message = message;
    sem_post(&queue->n_used);
}

static bool receive(struct queue *queue)
{
    sem_wait(&queue->n_used);
    bool message = queue->message;
    sem_post(&queue->n_free);
    return message;
}

static void *participant(void *argument)
{
    int self = (int)(long)argument;
    bool vote = __VERIFIER_nondet_bool();
    voted[self] = vote;
    send(&votes[self], vote);
    decided[self] = receive(&orders[self]);
    return 0;
}

int main(void)
{
    pthread_t threads[N];
    bool is_commit = true;
    for (int i = 0; i < N; i++) {
        sem_init(&votes[i].n_free, 0, 1);
        sem_init(&votes[i].n_used, 0, 0);
        sem_init(&orders[i].n_free, 0, 1);
        sem_init(&orders[i].n_used, 0, 0);
    }
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, participant, (void *)i);
    for (int i = 0; i < N; i++)
        if (!receive(&votes[i]))
            is_commit = false;
    for (int i = 0; i < N; i++)
        send(&orders[i], is_commit);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    for (int i = 0; i < N; i++) {
        assert(decided[i] == is_commit);
        assert(!is_commit || voted[i]);
    }
    return 0;
}
