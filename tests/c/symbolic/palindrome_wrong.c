// The last character is left where it is.
// run: check --engine sat
// verdict: violated assertion
#include <assert.h>
#include <string.h>
extern char __VERIFIER_nondet_char(void);

int main(void)
{
    char s[6], r[6];
    for (int i = 0; i < 6; i++)
        s[i] = __VERIFIER_nondet_char();
    for (int i = 0; i < 6; i++)
        r[i] = s[i < 5 ? 4 - i : 5];
    if (memcmp(s, r, 6) == 0)
        assert(s[0] == s[5] && s[1] == s[4] && s[2] == s[3]); // fails
    return 0;
}
