// What something outside changes may have any value.
// run: check --tabled --volatile-any ticks => unknown assertion
// run: check --tabled => verified
#include <assert.h>

static volatile int ticks;

int main(void) {
    assert(ticks == 0);
    return 0;
}
