// run: check
// verdict: violated overflow
// INT_MAX plus one.
#include <limits.h>
int main(void) {
    int x = INT_MAX;
    x = x + 1; // fails
    return x;
}
