// run: check
// verdict: violated out-of-bounds
// Only one value of the input is out of range.
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    int table[10] = {0};
    unsigned i = __VERIFIER_nondet_uint();
    if (i > 10) return 0;
    return table[i]; // fails
}
