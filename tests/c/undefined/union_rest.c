// An initialiser of a smaller member of an automatic union leaves the other bytes indeterminate.
// run: check
// verdict: violated uninitialized
union number {
    char small;
    int large;
};

int main(void) {
    union number n = {1};
    if (n.large == 1) return 1; // fails
    return 0;
}
