// Signed overflow, a shift out of range and a conversion that does not fit mean what gcc -fwrapv makes of them on x86-64.
// run: check --property assertion
// verdict: verified
// assumption: overflow is not looked for: signed arithmetic that leaves its type wraps round
// assumption: overflow is not looked for: a floating value that does not fit the integer type is converted as x86-64
// assumption: invalid-shift is not looked for: the amount of a shift is taken modulo the width
#include <assert.h>
#include <limits.h>

int main(void) {
    volatile int large = INT_MAX, small = INT_MIN, one = 1, amount = 33;
    volatile double huge = 1e20, below = -1.0;
    assert(large + one == INT_MIN);
    assert(-small == INT_MIN);
    assert(one << amount == 2);
    assert((int)huge == INT_MIN);
    assert((unsigned)below == UINT_MAX);
    assert((unsigned long)huge == 0);
    assert((short)huge == 0);
    return 0;
}
