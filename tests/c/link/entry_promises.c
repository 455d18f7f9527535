// What a parameter's declaration promises is not called in question.
// run: check --entry first_of => verified
// run: check --entry set => verified
// run: check --entry set_second => verified
// assumption: as its declaration promises
int first_of(int row[static 3]) {
    row[2] = 1;
    return row[2];
}

__attribute__((nonnull)) int set(int *p) {
    *p = 1;
    return *p;
}

void set_second(int n, int *p) __attribute__((nonnull(2)));

void set_second(int n, int *p) { *p = n; }
