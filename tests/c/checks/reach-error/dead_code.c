// run: check
// verdict: verified
// The call cannot be reached.
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned x = __VERIFIER_nondet_uint();
    if (x < 10 && x > 20) reach_error();
    return 0;
}
