// A copied string is equal to the original.
// run: check --engine sat
// verdict: verified
#include <assert.h>
#include <string.h>
extern char __VERIFIER_nondet_char(void);

int main(void)
{
    char s[7], t[7];
    for (int i = 0; i < 6; i++)
        s[i] = __VERIFIER_nondet_char();
    s[6] = 0;
    strcpy(t, s);
    assert(strlen(t) == strlen(s));
    assert(strcmp(s, t) == 0);
    char *x = strchr(s, 'x');
    if (x)
        assert(*x == 'x' && x - s < 6);
    return 0;
}
