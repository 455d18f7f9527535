// Reversal of the bits is not that of the bytes.
// run: check
// verdict: violated assertion
#include <assert.h>

int main(void) {
    assert(__builtin_bitreverse16(0x0102) == __builtin_bswap16(0x0102)); // fails
    return 0;
}
