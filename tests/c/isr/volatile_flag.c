// The usual flag: volatile, read and written at once. Waiting for it is no race, and neither is what it guards.
// run: check --isr done:3
// with: --reduce none | --reduce global-access | --reduce dpor
// verdict: verified
#include <assert.h>
#include <signal.h>

static volatile sig_atomic_t is_ready;
static int result;

void done(void)
{
    if (!is_ready) {
        result = 42;
        is_ready = 1;
    }
}

int main(void)
{
    while (!is_ready)
        ;
    assert(result == 42);
    return 0;
}
