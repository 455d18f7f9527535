// Even where not all values can be tried, extreme ones are, and a bug found there is a bug.
// run: check
// verdict: violated overflow
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    return x * x > 0; // fails
}
