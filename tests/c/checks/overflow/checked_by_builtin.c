// run: check
// verdict: verified
// __builtin_add_overflow reports instead of overflowing.
#include <assert.h>
#include <limits.h>
int main(void) {
    int sum;
    assert(__builtin_add_overflow(INT_MAX, 1, &sum));
    assert(sum == INT_MIN);
    return 0;
}
