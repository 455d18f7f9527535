// run: check
// verdict: verified
// The divisor is compared with zero first.
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    if (n > 5) return 0;
    return n != 0 && 100 / n == 0;
}
