// A handler that wants to know who sent the signal is not run.
// run: check
// verdict: unknown a signal handler that is told where the signal comes from
#include <signal.h>
#include <string.h>

static void handle(int number, siginfo_t *information, void *context)
{
    (void)number, (void)information, (void)context;
}

int main(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGUSR1, &action, 0);
    raise(SIGUSR1);
    return 0;
}
