// The one value for which an increment overflows is found without trying the others.
// run: check
// verdict: violated overflow
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (x < 0)
        return 0;
    x = x + 1; // fails
    return 0;
}
