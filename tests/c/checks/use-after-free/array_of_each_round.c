// run: check
// verdict: violated use-after-free
// A variable length array of one round does not live in the next.
int main(void) {
    int *p = 0;
    for (int n = 2; n < 4; n++) {
        int a[n];
        a[0] = n;
        if (p) p[0]++; // fails
        p = a;
    }
    return 0;
}
