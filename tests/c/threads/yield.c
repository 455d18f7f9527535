// Yielding, sleeping and priorities change nothing.
// run: check
// verdict: verified
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

int main(void) {
    struct timespec moment = {0, 5};
    struct sched_param param = {.sched_priority = 1};
    assert(sched_yield() == 0);
    assert(sleep(1) == 0);
    assert(usleep(10) == 0);
    assert(nanosleep(&moment, 0) == 0);
    assert(sched_get_priority_max(SCHED_FIFO) > sched_get_priority_min(SCHED_FIFO));
    assert(sched_get_priority_min(-1) == -1);
    assert(sched_getcpu() >= 0);
    assert(pthread_setschedparam(pthread_self(), SCHED_RR, &param) == 0);
    assert(pthread_setname_np(pthread_self(), "worker") == 0);
    assert(pthread_setname_np(pthread_self(), "a name beyond 15") == ERANGE);
    return 0;
}
