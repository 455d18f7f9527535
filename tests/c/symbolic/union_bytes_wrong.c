// The third byte is not the second.
// run: check --engine sat
// verdict: violated assertion
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);

union both {
    unsigned number;
    unsigned char bytes[4];
};

int main(void)
{
    union both b;
    b.number = __VERIFIER_nondet_uint();
    unsigned again = b.bytes[0] | b.bytes[1] << 8 | b.bytes[2] << 16 | (unsigned)b.bytes[3] << 24;
    assert(again == b.number);
    b.bytes[2] = 7;
    assert((b.number >> 8 & 0xFF) == 7); // fails
    return 0;
}
