// With the default properties the first use is the violation.
// run: check
// verdict: violated uninitialized
int main(void) {
    int x;
    if (x > 10) return 1; // fails
    return 0;
}
