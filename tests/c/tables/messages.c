// A descriptor with both ends in the program is a channel.
// run: check --tabled
// verdict: verified
// assumption: what is sent to a descriptor is received from the descriptor with the same number
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>

static void *answer(void *unused) {
    int x;
    recv(5, &x, sizeof x, 0);
    x = x + 1;
    send(6, &x, sizeof x, 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    int x = 1;
    pthread_create(&thread, 0, answer, 0);
    send(5, &x, sizeof x, 0);
    recv(6, &x, sizeof x, 0);
    assert(x == 2);
    pthread_join(thread, 0);
    return 0;
}
