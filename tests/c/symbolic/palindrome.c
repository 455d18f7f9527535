// A text that equals its reverse is the same from both ends.
// run: check --engine sat
// verdict: verified
#include <assert.h>
#include <string.h>
extern char __VERIFIER_nondet_char(void);

int main(void)
{
    char s[6], r[6];
    for (int i = 0; i < 6; i++)
        s[i] = __VERIFIER_nondet_char();
    for (int i = 0; i < 6; i++)
        r[i] = s[5 - i];
    if (memcmp(s, r, 6) == 0)
        assert(s[0] == s[5] && s[1] == s[4] && s[2] == s[3]);
    return 0;
}
