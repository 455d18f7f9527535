// Three elements are promised, not four; and a promise about the first pointer says nothing of the second.
// run: check --entry fourth_of => violated out-of-bounds
// run: check --entry set_both => violated null-dereference
int fourth_of(int row[static 3]) {
    return row[3]; // fails
}

__attribute__((nonnull(1))) void set_both(int *p, int *q) {
    *p = 1;
    *q = 1; // fails
}
