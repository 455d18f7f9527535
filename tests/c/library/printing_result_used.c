// A result of printf that is used is exact.
// run: check
// verdict: verified
#include <assert.h>
#include <stdio.h>
int main(void) {
    int n = printf("%d %s\n", 1234, "text");
    assert(n == 10);
    return 0;
}
