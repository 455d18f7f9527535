// A range check in an if narrows the input as well as an assumption does.
// run: check
// verdict: violated out-of-bounds
extern unsigned __VERIFIER_nondet_uint(void);

int table[10];

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    if (n > 10)
        return 1;
    return table[n]; // fails
}
