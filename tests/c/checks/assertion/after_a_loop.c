// run: check
// verdict: violated assertion
// A loop over an array computes a wrong maximum because it starts from zero.
#include <assert.h>
int main(void) {
    int values[3] = {-5, -2, -9}, max = 0;
    for (int i = 0; i < 3; i++)
        if (values[i] > max) max = values[i];
    assert(max == -2); // fails
    return 0;
}
