// A destroyed condition variable cannot be signalled.
// run: check
// verdict: violated unlock-error
// stdout: a condition variable is used that was destroyed
#include <pthread.h>

int main(void) {
    pthread_cond_t changed;
    pthread_cond_init(&changed, 0);
    pthread_cond_destroy(&changed);
    pthread_cond_broadcast(&changed); // fails
    return 0;
}
