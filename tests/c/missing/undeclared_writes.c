// A function that nobody declared may write what its arguments point to.
// run: check
// verdict: violated assertion
#include <assert.h>

int main(void) {
    int number = 1;
    int fixed = 2;
    measure(&number, fixed);
    assert(fixed == 2);
    assert(number == 1); // fails
    return 0;
}
