// A guard against the extreme value suffices; no value needs to be enumerated.
// run: check
// verdict: verified
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (x >= 2147483647)
        return 0;
    x = x + 1;
    return 0;
}
