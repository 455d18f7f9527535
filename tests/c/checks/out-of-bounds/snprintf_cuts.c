// run: check
// verdict: verified
// snprintf stays within the size it is given.
#include <assert.h>
#include <stdio.h>
int main(void) {
    char text[4];
    int n = snprintf(text, sizeof text, "%d", 123456);
    assert(n == 6 && text[2] == '3' && text[3] == 0);
    return 0;
}
