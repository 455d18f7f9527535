// A name of a verifier that has no meaning is an error, not a function that returns anything.
// run: check
// exit: 2
// stderr: `__VERIFIER_asume` looks like a function of a verifier, but nothing is known by this name
// stderr: did you mean `__VERIFIER_assume`?
extern void __VERIFIER_asume(int);
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    __VERIFIER_asume(x > 0);
    return x > 0 ? 0 : 1;
}
