// Joining a thread that was never started returns ESRCH where such misuse is not looked for.
// run: check --property assertion
// verdict: verified
// assumption: unlock-error is not looked for: a thread or lock used against its rules behaves as the model
#include <assert.h>
#include <errno.h>
#include <pthread.h>

int main(void) {
    assert(pthread_join((pthread_t)77, 0) == ESRCH);
    assert(pthread_detach((pthread_t)77) == ESRCH);
    return 0;
}
