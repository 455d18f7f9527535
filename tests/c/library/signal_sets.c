// Sets of signals are sets.
// run: check
// verdict: verified
#include <assert.h>
#include <signal.h>

int main(void) {
    sigset_t set;
    sigemptyset(&set);
    assert(sigaddset(&set, SIGINT) == 0);
    assert(sigismember(&set, SIGINT) == 1);
    assert(sigismember(&set, SIGTERM) == 0);
    sigfillset(&set);
    sigdelset(&set, SIGINT);
    assert(sigismember(&set, SIGINT) == 0);
    assert(sigismember(&set, SIGTERM) == 1);
    return 0;
}
