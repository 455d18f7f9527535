// Pointers of another type that are cast back before the call.
// run: check
// verdict: verified
#include <assert.h>

static int is_one(double number)
{
    return number == 1.0;
}

static void (*const functions[2])(void) = { (void (*)(void))is_one, (void (*)(void))is_one };
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int (*function)(double) = (int (*)(double))functions[__VERIFIER_nondet_int() == 0];
    assert(function(1.0));
    return 0;
}
