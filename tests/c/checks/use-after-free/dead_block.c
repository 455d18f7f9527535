// run: check
// verdict: violated use-after-free
// The address of a variable outlives its block.
int main(void) {
    int *p;
    {
        int inner = 3;
        p = &inner;
    }
    return *p; // fails
}
