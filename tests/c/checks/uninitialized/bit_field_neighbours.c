// run: check
// verdict: verified
// Setting one bit-field leaves its unset neighbours alone.
#include <assert.h>
struct flags { unsigned a : 3, b : 5; };
int main(void) {
    struct flags flags;
    flags.b = 17;
    assert(flags.b == 17);
    return 0;
}
