// An object that nobody defines may hold anything.
// run: check
// verdict: violated assertion
// assumption: mode
#include <assert.h>
extern int mode;

int main(void)
{
    assert(mode != 7); // fails
    return 0;
}
