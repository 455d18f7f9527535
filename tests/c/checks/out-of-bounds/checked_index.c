// run: check
// verdict: verified
// An index that was compared with the length.
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    int table[10] = {0};
    unsigned i = __VERIFIER_nondet_uint();
    if (i >= sizeof table / sizeof *table) return 0;
    return table[i];
}
