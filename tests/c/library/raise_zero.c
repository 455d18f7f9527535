// The signal 0 is none: asking for it does nothing and succeeds.
// run: check
// verdict: verified
#include <assert.h>
#include <errno.h>
#include <signal.h>

int main(void)
{
    assert(raise(0) == 0);
    assert(raise(65) != 0 && errno == EINVAL);
    return 0;
}
