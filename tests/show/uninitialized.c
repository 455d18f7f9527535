// The value is set on one path only.
// run: check
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int limit;
    int mode = __VERIFIER_nondet_int();
    if (mode == 1)
        limit = 10;
    if (limit > 5)
        return 1;
    return 0;
}
