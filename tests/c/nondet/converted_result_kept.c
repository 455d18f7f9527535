// The whole result is looked at as well: it need not fit where it was converted to.
// run: check
// verdict: violated assertion
#include <assert.h>

long measure(void);

int main(void)
{
    long whole = measure();
    int result = whole;
    if (result == 0)
        assert(whole == 0); // fails
    return 0;
}
