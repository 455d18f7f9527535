// run: check
// verdict: violated null-dereference
// A store through a null pointer.
int main(void) {
    int *p = 0;
    *p = 1; // fails
    return 0;
}
