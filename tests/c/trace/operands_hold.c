// Near miss: the same comparison holds, because the operand is looked at before it is changed.
// run: check
// verdict: verified
#include <assert.h>

int main(void)
{
    int value = 2, received = 2;
    assert(value == received++);
    assert(received == 3);
    return 0;
}
