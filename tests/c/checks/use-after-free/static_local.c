// run: check
// verdict: verified
// A static local variable lives on.
#include <assert.h>
static int *counter(void) {
    static int n;
    n++;
    return &n;
}
int main(void) {
    counter();
    assert(*counter() == 2);
    return 0;
}
