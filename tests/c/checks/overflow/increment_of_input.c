// run: check
// verdict: violated overflow
// Only the largest input overflows.
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int x = __VERIFIER_nondet_int();
    x++; // fails
    return x != 0;
}
