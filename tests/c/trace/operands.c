// The headline of a failed assertion carries the values that were compared, as they were when they were compared.
// run: check
// verdict: violated assertion
// stdout: assertion `value == received++` does not hold: 6 == 2
#include <assert.h>

int main(void)
{
    int value = 6, received = 2;
    assert(value == received++); // fails
    return 0;
}
