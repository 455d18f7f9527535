// A verdict that hangs on where objects lie says so; alignment is known without looking.
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
    assert(address / 64 % 2 < 2);
    return 0;
}
