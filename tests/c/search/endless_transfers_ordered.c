// As endless_transfers.c, but locked in one order and counted to four: nothing is wrong and everything is searched.
// run: check
// run: check --workers 1
// verdict: verified
#include <pthread.h>

static pthread_mutex_t here = PTHREAD_MUTEX_INITIALIZER, there = PTHREAD_MUTEX_INITIALIZER;
static unsigned n_out, n_in;

static void *send(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&here);
        pthread_mutex_lock(&there);
        n_out = (n_out + 1) % 4;
        pthread_mutex_unlock(&there);
        pthread_mutex_unlock(&here);
    }
    return unused;
}

static void *receive(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&here);
        pthread_mutex_lock(&there);
        n_in = (n_in + 1) % 4;
        pthread_mutex_unlock(&there);
        pthread_mutex_unlock(&here);
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
