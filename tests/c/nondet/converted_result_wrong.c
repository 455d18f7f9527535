// One converted value of 2^32 fails.
// run: check
// verdict: violated assertion
#include <assert.h>

long measure(void);

int main(void)
{
    int result = measure();
    if (result < -70000)
        assert(result != -77777); // fails
    return 0;
}
