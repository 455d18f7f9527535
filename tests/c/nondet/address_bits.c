// A verdict that hangs on where objects lie says so.
// run: check
// verdict: verified
// assumption: computes with addresses
#include <assert.h>
#include <stdint.h>

int main(void)
{
    int object = 0;
    uintptr_t address = (uintptr_t)&object;
    assert(address % _Alignof(int) == 0);
    return 0;
}
