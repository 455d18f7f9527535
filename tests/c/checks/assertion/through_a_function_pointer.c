// run: check
// verdict: violated assertion
// A call through a table of functions reaches the wrong one.
#include <assert.h>
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
int main(void) {
    int (*table[2])(int, int) = {add, sub};
    assert(table[1](1, 2) == 3); // fails
    return 0;
}
