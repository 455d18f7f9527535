// A name like a verifier's that the program defines is its own function; a declared type says what may be any value.
// run: check
// verdict: verified
typedef unsigned char state;
extern state __VERIFIER_nondet_state(void);
extern void __VERIFIER_assert(int);

static int __ESBMC_twice(int x) {
    return 2 * x;
}

int main(void) {
    state now = __VERIFIER_nondet_state();
    __ESBMC_assume(now < 3);
    __VERIFIER_assert(__ESBMC_twice(now) < 6);
    __CPROVER_output("now", now);
    return 0;
}
