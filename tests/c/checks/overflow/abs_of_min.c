// run: check
// verdict: violated overflow
// abs overflows inside the library; the user sees the call.
#include <limits.h>
#include <stdlib.h>
int main(void) {
    int x = INT_MIN;
    return abs(x) < 0; // fails
}
