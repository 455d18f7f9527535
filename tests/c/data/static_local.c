// A static object of a function keeps its value from call to call.
// run: check
// verdict: verified
// models: promela verified, c verified
#include <assert.h>

static int next(void)
{
    static int count = 5;
    count++;
    return count;
}

int main(void)
{
    int first = next();
    int second = next();
    assert(first == 6 && second == 7);
    return 0;
}
