// An assertion that always fails is no violation where only misused locks are looked for, and the verdict says so.
// run: check --property unlock-error
// verdict: verified
// assumption: looked for only: unlock-error; not for: assertion,deadlock,data-race
#include <assert.h>

int main(void) {
    assert(0);
    return 0;
}
