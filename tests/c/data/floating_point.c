// Floating point stays what it is.
// run: check
// verdict: verified
// models: c verified
#include <assert.h>

static double level = 0.5;

int main(void)
{
    int n = 0;
    while (level < 4.0) {
        level = level * 2.0;
        n++;
    }
    assert(n == 3 && level == 4.0);
    return 0;
}
