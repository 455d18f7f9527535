// A queue that gives out the most urgent message first; one thread sends, one receives, DEPTH messages fit.
// verdict: verified
// flags: --no-spurious
// row: small -DDEPTH=1 -DMESSAGES=2
// row: medium -DDEPTH=3 -DMESSAGES=6
// row: large -DDEPTH=15 -DMESSAGES=16
#include <assert.h>
#include <pthread.h>

struct message {
    int urgency, number;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static struct message queue[DEPTH];
static int n_queued;

static void send(int urgency, int number)
{
    pthread_mutex_lock(&mutex);
    while (n_queued == DEPTH)
        pthread_cond_wait(&not_full, &mutex);
    int at = n_queued;
    while (at > 0 && queue[at - 1].urgency >= urgency) {
        queue[at] = queue[at - 1];
        at--;
    }
    queue[at].urgency = urgency;
    queue[at].number = number;
    n_queued++;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&mutex);
}

static struct message receive(void)
{
    pthread_mutex_lock(&mutex);
    while (n_queued == 0)
        pthread_cond_wait(&not_empty, &mutex);
    n_queued--;
    struct message message = queue[n_queued];
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&mutex);
    return message;
}

static void *sender(void *unused)
{
    for (int number = 0; number < MESSAGES; number++)
        send(number % 3, number);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int last[3] = {-1, -1, -1};
    pthread_create(&thread, 0, sender, 0);
    for (int i = 0; i < MESSAGES; i++) {
        struct message message = receive();
        assert(message.urgency == message.number % 3);
        assert(message.number > last[message.urgency]);
        last[message.urgency] = message.number;
    }
    pthread_join(thread, 0);
    assert(n_queued == 0);
    return 0;
}
