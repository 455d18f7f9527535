// An object of an enumeration may hold more than its enumerators.
// run: check --tabled
// run: check
// verdict: verified
#include <assert.h>

enum state { IDLE, BUSY };

static enum state state = IDLE;

int main(void) {
    state = 1000;
    assert((int)state == 1000);
    return 0;
}
