// Unsigned numbers wrap around at the width of their type, also at 32 and 64 bits.
// run: check
// verdict: verified
// models: c verified
#include <assert.h>

static unsigned char small = 250;
static unsigned int word = 4294967290u;
static unsigned long long wide = 18446744073709551610ull;

int main(void)
{
    small += 10;
    word += 10;
    wide += 10;
    assert(small == 4);
    assert(word == 4);
    assert(wide == 4 && wide - 5 > wide);
    return 0;
}
