// The repaired sibling: the gap between 0 and 1 is left out of the range. An assumption with a quantifier narrows inputs.
// run: check
// verdict: verified
int a[4];
_Bool given[3];

int main(void) {
    for (int i = 0; i < 4; i++)
        a[i] = i * i;
    __CPROVER_assert(__CPROVER_forall { int i; 1 < i && i < 4 ==> a[i] > a[i - 1] + 1 }, "gaps");
    __CPROVER_assert(!__CPROVER_exists { int i; 0 <= i && i < 4 && a[i] == 5 }, "no five");
    __CPROVER_assert(__CPROVER_forall { int i; 3 <= i && i < 3 ==> 0 }, "an empty range");
    for (int i = 0; i < 3; i++)
        given[i] = __VERIFIER_nondet_bool();
    __CPROVER_assume(__CPROVER_forall { int i; 0 <= i && i < 3 ==> given[i] });
    __CPROVER_assert(given[0] && given[1] && given[2], "assumed");
    return 0;
}
