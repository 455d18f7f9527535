// run: check
// verdict: verified
// An assertion behind exit is never reached.
#include <assert.h>
#include <stdlib.h>
int main(void) {
    exit(0);
    assert(0);
}
