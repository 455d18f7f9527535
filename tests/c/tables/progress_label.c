// Labels of progress arrive in the model.
// run: check --property livelock
// run: check --tabled --property livelock
// verdict: verified
#include <pthread.h>

static int turn;

static void *other(void *unused)
{
    while (1) {
    progress_other:
        turn = 1 - turn;
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    while (1) {
        if (turn)
            turn = 0;
    }
    return 0;
}
