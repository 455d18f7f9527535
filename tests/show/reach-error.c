// One value in a thousand goes the wrong way.
// run: check
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned key = __VERIFIER_nondet_uint();
    if (key > 1000)
        return 0;
    if (key == 417)
        reach_error();
    return 0;
}
