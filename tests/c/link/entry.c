// A function other than main is checked with any arguments.
// run: check --entry clamp
// verdict: violated assertion
#include <assert.h>

int clamp(int x, int low, int high)
{
    if (low > high || low < -100 || high > 100)
        return 0;
    int result = x < low ? low : x > high ? high : x;
    assert(result > low); // fails
    return result;
}
