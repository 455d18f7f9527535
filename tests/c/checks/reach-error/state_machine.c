// run: check
// verdict: violated reach-error
// A state machine takes a forbidden turn after three inputs.
extern void reach_error(void);
extern _Bool __VERIFIER_nondet_bool(void);
int main(void) {
    int state = 0;
    for (int i = 0; i < 3; i++) {
        _Bool input = __VERIFIER_nondet_bool();
        if (state == 0) state = input ? 1 : 0;
        else if (state == 1) state = input ? 0 : 2;
        else if (input) state = 3;
    }
    if (state == 3)
        reach_error(); // fails
    return 0;
}
