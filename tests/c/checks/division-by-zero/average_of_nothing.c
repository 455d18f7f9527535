// run: check
// verdict: violated division-by-zero
// The count is zero for one input.
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), sum = 100;
    if (n > 5) return 0;
    return (int)(sum / n); // fails
}
