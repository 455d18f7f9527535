// run: check
// verdict: violated uninitialized
// A decision on a variable nobody set.
int main(void) {
    int x;
    if (x > 0) // fails
        return 1;
    return 0;
}
