// The intrinsics of other tools work as there.
// run: check
// verdict: violated assertion
extern unsigned char __VERIFIER_nondet_uchar(void);
void __CPROVER_assume(_Bool);
void __CPROVER_assert(_Bool, const char *);

int main(void)
{
    unsigned char x = __VERIFIER_nondet_uchar();
    __CPROVER_assume(x > 200);
    __CPROVER_assert(x != 250, "x is not 250"); // fails
    return 0;
}
