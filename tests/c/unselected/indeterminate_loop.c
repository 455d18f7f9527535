// A variable of a loop's body is indeterminate again in each round, one outside of it keeps its value.
// run: check --property assertion
// verdict: violated assertion
#include <assert.h>

int main(void) {
    int kept, first = 0;
    for (int i = 0; i < 2; i++) {
        int fresh;
        if (i == 0) first = fresh > 10;
        else assert((fresh > 10) == first); // fails
        assert((kept > 10) == (kept >= 11));
    }
    return 0;
}
