// As many bytes are copied as the destination has.
// run: check --engine sat
// verdict: verified
#include <assert.h>
#include <string.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void)
{
    unsigned char from[12], to[8];
    unsigned n = __VERIFIER_nondet_uint();
    for (int i = 0; i < 12; i++)
        from[i] = __VERIFIER_nondet_uchar();
    memset(to, 0, sizeof to);
    if (n > 8)
        n = 8;
    memcpy(to, from, n);
    for (unsigned i = 0; i < 8; i++)
        assert(to[i] == (i < n ? from[i] : 0));
    return 0;
}
