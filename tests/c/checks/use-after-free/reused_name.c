// run: check
// verdict: verified
// The same block entered again makes a fresh object each time.
#include <assert.h>
int main(void) {
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        int inner = i;
        int *p = &inner;
        sum += *p;
    }
    assert(sum == 3);
    return 0;
}
