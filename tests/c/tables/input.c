// What nobody in the program sends is input: it may be anything, and nobody waits for ever.
// run: check --tabled --property assertion
// verdict: violated assertion
#include <assert.h>
#include <unistd.h>

int main(void) {
    int x = 0;
    read(0, &x, sizeof x);
    assert(0); // fails
    return 0;
}
