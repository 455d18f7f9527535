// A copy of an indeterminate value is used when it is incremented: whether that overflows depends on it.
// run: check
// verdict: violated uninitialized
int main(void) {
    int i, j;
    i = j;
    i++; // fails
    return 0;
}
