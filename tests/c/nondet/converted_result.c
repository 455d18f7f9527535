// Nobody sees more than the converted result, so its sign is one decision; no value of `long` has to be tried.
// run: check
// verdict: verified
#include <assert.h>

long measure(void);
unsigned long count(void);

static int sign(void)
{
    int result = measure();
    if (result < 0)
        return -1;
    return result > 0;
}

int main(void)
{
    int found = sign();
    assert(found >= -1 && found <= 1);
    unsigned char small = count();
    assert(small <= 255);
    short step = measure();
    if (step > 10 && step < 20)
        assert(step != 20);
    return 0;
}
