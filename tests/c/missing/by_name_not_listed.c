// Without the configuration `logged` may write, too.
// run: check
// verdict: violated assertion
#include <assert.h>

void logged(int *number);

int main(void) {
    int one = 1;
    logged(&one);
    assert(one == 1); // fails
    return 0;
}
