// An integer given where the function takes a floating number lies in another register: what it reads is indeterminate.
// run: check
// verdict: violated uninitialized
static int is_one(double number)
{
    return number == 1.0;
}

static int (*const functions[2])(int) = { (int (*)(int))is_one, (int (*)(int))is_one };
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    return functions[__VERIFIER_nondet_int() == 0](1); // fails
}
