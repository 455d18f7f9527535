// Making an object unknown makes all of it unknown, also through a pointer into its middle.
// run: check
// verdict: violated assertion
int a[3] = {1, 1, 1};
int b = 1;

int main(void) {
    __CPROVER_havoc_slice(&a[1], sizeof a[1]);
    __CPROVER_assert(a[0] == 1 && a[2] == 1, "the rest stays");
    __CPROVER_havoc_object(&a[2]);
    __CPROVER_assert(b == 1, "other objects stay");
    __CPROVER_assert(a[0] != 7, "any value"); // fails
    return 0;
}
