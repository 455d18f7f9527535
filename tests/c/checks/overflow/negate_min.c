// run: check
// verdict: violated overflow
// The most negative int has no positive twin.
#include <limits.h>
int main(void) {
    int x = INT_MIN;
    x = -x; // fails
    return x;
}
