// `assert` without its header is the library's macro, not an unknown function that does nothing.
// run: check
// verdict: violated assertion
// stdout: assertion `total == 6` does not hold
// assumption: `assert` is not declared: the C library's is meant (`#include <assert.h>` is missing)
int main(void) {
    int total = 0;
    for (int i = 0; i < 4; i++)
        total += i;
    assert(total >= 0);
    if (total)
        assert(total == 7 - 1 + 0 * total);
    assert(total == 6); // this one holds as well
    total--;
    assert(total == 6); // fails
    return 0;
}
