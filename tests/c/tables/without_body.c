// Functions without bodies are named among the assumptions.
// run: check --tabled
// verdict: verified
// assumption: `puts` has no body: it returns, and only what pointers were given to is changed
#include <assert.h>
#include <stdio.h>

int main(void) {
    int x = 1;
    puts("one");
    assert(x == 1);
    return 0;
}
