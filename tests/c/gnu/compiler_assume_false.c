// An assumption told to the compiler cuts nothing off: where it is false the behaviour is undefined.
// run: check
// verdict: violated reach-error

int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    __builtin_assume(x > 2); // fails
    return 0;
}
