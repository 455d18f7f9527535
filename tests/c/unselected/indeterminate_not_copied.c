// What the copy leaves out is any value of its own.
// run: check --property assertion
// verdict: violated assertion
#include <assert.h>
#include <string.h>

int main(void) {
    int source[8], target[8];
    memcpy(target, source, sizeof(int) * 3);
    assert(target[5] == source[5]); // fails
    return 0;
}
