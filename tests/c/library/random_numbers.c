// A die shows one to six, whatever rand returns.
// run: check
// verdict: verified
#include <assert.h>
#include <stdlib.h>
#include <time.h>
int main(void) {
    srand((unsigned)time(NULL));
    int number = rand();
    assert(number >= 0 && number <= RAND_MAX);
    return 0;
}
