// A handler that nobody set is no handler.
// run: check
// verdict: violated uninitialized
#include <signal.h>

int main(void)
{
    struct sigaction action;
    action.sa_flags = 0;
    sigaction(SIGUSR1, &action, 0);
    raise(SIGUSR1); // fails
    return 0;
}
