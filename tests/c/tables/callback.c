// Somebody calls the function later, and the model does not know when.
// run: check --tabled => unknown last by atexit
// run: check => violated assertion
#include <assert.h>
#include <stdlib.h>

static void last(void) {
    assert(0); // fails
}

int main(void) {
    atexit(last);
    return 0;
}
