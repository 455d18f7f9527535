// A set that was not emptied first.
// run: check
// verdict: violated uninitialized
#include <signal.h>

int main(void) {
    sigset_t set;
    sigaddset(&set, SIGINT);
    return sigismember(&set, SIGTERM); // fails
}
