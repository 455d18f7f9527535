// CBMC's quantifiers over bounded ranges and its implication are followed element by element.
// run: check
// verdict: violated assertion
int a[4];

int main(void) {
    for (int i = 0; i < 4; i++)
        a[i] = i * i;
    __CPROVER_assert(__CPROVER_forall { int i; 0 <= i && i < 4 ==> a[i] == i * i }, "squares");
    __CPROVER_assert(__CPROVER_exists { unsigned i; i < 4 && a[i] == 9 }, "nine");
    __CPROVER_assert(a[1] == 2 ==> a[2] == 5, "what does not hold implies anything");
    __CPROVER_assert(__CPROVER_forall { int i; (i >= 0 && i <= 3) ==> __CPROVER_exists { int j; i <= j && j < 4 && a[j] >= a[i] } }, "nested");
    __CPROVER_assert(__CPROVER_forall { int i; 1 <= i && i < 4 ==> a[i] > a[i - 1] + 1 }, "gaps"); // fails
    return 0;
}
