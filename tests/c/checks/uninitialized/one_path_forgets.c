// run: check
// verdict: violated uninitialized
// One path leaves the variable unset.
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int result, input = __VERIFIER_nondet_int();
    if (input > 0) result = 1;
    if (input < 0) result = 2;
    while (result > 0) // fails
        result--;
    return 0;
}
