// run: check
// verdict: verified
// A door that is never open while moving, for all inputs forever.
extern void reach_error(void);
extern _Bool __VERIFIER_nondet_bool(void);
int main(void) {
    _Bool is_open = 0, is_moving = 0;
    while (1) {
        if (__VERIFIER_nondet_bool() && !is_moving) is_open = !is_open;
        if (__VERIFIER_nondet_bool() && !is_open) is_moving = !is_moving;
        if (is_open && is_moving) reach_error();
    }
}
