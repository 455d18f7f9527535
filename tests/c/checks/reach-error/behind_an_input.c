// run: check
// verdict: violated reach-error
// One value of the input leads to the error.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x == 123456789)
        reach_error(); // fails
    return 0;
}
