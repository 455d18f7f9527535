// run: check
// verdict: violated out-of-bounds
// The element size is mistaken, so memset clears twice the array.
#include <string.h>
int main(void) {
    short a[8];
    memset(a, 0, 8 * sizeof(int)); // fails
    return a[0];
}
