// A switch over an unknown value costs one path for each case.
// run: check
// verdict: violated reach-error
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    switch (__VERIFIER_nondet_int()) {
    case 17:
        return 1;
    case 1000 ... 2000:
        return 2;
    case -5:
        reach_error(); // fails
    default:
        return 0;
    }
}
