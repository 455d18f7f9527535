// run: check
// verdict: violated use-after-free
// Each time the block is entered it has another `x`.
int main(void) {
    int *p = 0;
    int n = 0;
again:;
    {
        int x = n;
        if (n == 0) {
            p = &x;
            n = 1;
            goto again;
        }
    }
    return *p; // fails
}
