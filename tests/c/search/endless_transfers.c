// Threads that never end count their transfers; two accounts are locked in both orders.
// run: check
// run: check --workers 1
// verdict: violated deadlock
#include <pthread.h>

static pthread_mutex_t here = PTHREAD_MUTEX_INITIALIZER, there = PTHREAD_MUTEX_INITIALIZER;
static unsigned n_out, n_in;

static void *send(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&here);
        pthread_mutex_lock(&there); // fails
        n_out++;
        pthread_mutex_unlock(&there);
        pthread_mutex_unlock(&here);
    }
    return unused;
}

static void *receive(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&there);
        pthread_mutex_lock(&here); // fails
        n_in++;
        pthread_mutex_unlock(&here);
        pthread_mutex_unlock(&there);
    }
    return unused;
}

int main(void)
{
    pthread_t sender, receiver;
    pthread_create(&sender, 0, send, 0);
    pthread_create(&receiver, 0, receive, 0);
    pthread_join(sender, 0);
    pthread_join(receiver, 0);
}
