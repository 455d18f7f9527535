// A write outside of every object has no meaning.
// run: check --property assertion
// verdict: unknown undefined behaviour not selected by --property (out-of-bounds
int main(void) {
    int a[2] = {0, 0};
    volatile int at = 5;
    a[at] = 1;
    return a[0];
}
