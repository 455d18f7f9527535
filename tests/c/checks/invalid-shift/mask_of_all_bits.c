// run: check
// verdict: violated invalid-shift
// A mask of n bits is computed for all n of the input.
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    if (n > 32) return 0;
    unsigned mask = (1u << n) - 1; // fails
    return mask == 5;
}
