// The action of a signal: set, asked for, taken once, refused; the name of a thread is taken and forgotten.
// run: check
// verdict: verified
// assumption: no signal arrives from outside the program
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

static int got;

static void handle(int number)
{
    got += number;
}

int main(void)
{
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = handle;
    action.sa_flags = SA_RESETHAND;
    assert(sigaction(SIGCHLD, &action, &before) == 0 && before.sa_handler == SIG_DFL);
    raise(SIGCHLD);
    assert(got == SIGCHLD);
    assert(sigaction(SIGCHLD, 0, &before) == 0 && before.sa_handler == SIG_DFL);
    raise(SIGCHLD);
    assert(got == SIGCHLD);

    assert(signal(SIGUSR1, handle) == SIG_DFL);
    assert(sigaction(SIGUSR1, 0, &before) == 0 && before.sa_handler == handle && before.sa_flags & SA_RESTART);
    action.sa_flags = 0;
    assert(sigaction(SIGUSR1, &action, 0) == 0);
    raise(SIGUSR1);
    raise(SIGUSR1);
    assert(got == SIGCHLD + 2 * SIGUSR1);

    assert(sigaction(SIGKILL, &action, 0) == -1 && errno == EINVAL);
    assert(signal(SIGSTOP, handle) == SIG_ERR && sigaction(65, 0, &before) == -1);
    assert(prctl(PR_SET_NAME, "worker") == 0);
    return 0;
}
