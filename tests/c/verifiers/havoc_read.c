// The repaired sibling: what is unknown is looked at before it is relied on.
// run: check
// verdict: verified
int a[3] = {1, 1, 1};

int main(void) {
    __CPROVER_havoc_object(&a[2]);
    __CPROVER_precondition(a[1] == a[1], "one value, whatever it is");
    if (a[0] == 7)
        a[0] = 0;
    __CPROVER_postcondition(a[0] != 7, "not seven any more");
    return 0;
}
