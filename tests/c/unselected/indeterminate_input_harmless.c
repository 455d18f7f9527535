// What is read twice is the same both times, in registers, in memory and in parts.
// run: check --property assertion
// verdict: verified
// assumption: uninitialized is not looked for: an indeterminate value is any value of its type
#include <assert.h>

struct pair {
    unsigned low : 3;
    unsigned high : 5;
    int whole;
};

int main(void) {
    int x;
    int y = x + 1;
    if (x < 100) assert(y < 101 || x == -2147483647 - 1);
    struct pair pair;
    int *p = &pair.whole;
    if (*p > 5) assert(pair.whole >= 6);
    if (pair.low == 7) assert(pair.low > 6);
    return 0;
}
