// A queue of DEPTH messages that gives out the most urgent first, one thread sending and one receiving.
// run: check --no-spurious -DDEPTH=1 => verified
// run: check --no-spurious -DDEPTH=2 => verified
// run: check --no-spurious -DDEPTH=3 => verified
// run: check --no-spurious -DDEPTH=2 -DIN_ORDER => violated assertion
// with: --reduce global-access | --reduce dpor | --reduce superstep | --table-from 0
#include <assert.h>
#include <pthread.h>

#define MESSAGES 4

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
        send(number % 2, number);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int last[2] = {-1, -1};
    pthread_create(&thread, 0, sender, 0);
    for (int i = 0; i < MESSAGES; i++) {
        struct message message = receive();
        assert(message.urgency == message.number % 2);
        assert(message.number > last[message.urgency]);
#ifdef IN_ORDER
        assert(message.number == i); // fails
#endif
        last[message.urgency] = message.number;
    }
    pthread_join(thread, 0);
    assert(n_queued == 0);
    return 0;
}
